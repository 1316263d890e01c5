// SPDX-License-Identifier: Apache-2.0
// Draws every formula of a site as its pages do, and names those that KaTeX cannot draw.
// usage: node check_formulas.js SITE KATEX.js     the exit code is 1 if there is one
const fs = require("fs"), path = require("path");
const [site, library] = process.argv.slice(2);
const katex = require(library);
const characters = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&"};
let formulas = 0, faults = 0;
for (const name of fs.readdirSync(site, {recursive: true}).filter((name) => name.endsWith(".html")).sort()) {
  const page = fs.readFileSync(path.join(site, name), "utf8");
  for (const [, inner] of page.matchAll(/class="arithmatex">([^<]*)</g)) {
    const text = inner.replace(/&(lt|gt|quot|#39|amp);/g, (entity) => characters[entity]).trim();
    formulas += 1;
    try {
      katex.renderToString(text.slice(2, -2), {displayMode: text.startsWith("\\["), throwOnError: true});
    } catch (error) {
      faults += 1;
      console.error(`${name}: ${error.message}`);
    }
  }
}
console.log(`${formulas} formulas`);
process.exit(faults > 0 ? 1 : 0);
