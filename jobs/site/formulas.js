// SPDX-License-Identifier: Apache-2.0
// Draws what arithmatex has put between \( \) and \[ \].
document.addEventListener("DOMContentLoaded", () => {
  for (const place of document.querySelectorAll(".arithmatex")) {
    const text = place.textContent.trim();
    katex.render(text.slice(2, -2), place, {displayMode: text.startsWith("\\["), throwOnError: false});
  }
});
