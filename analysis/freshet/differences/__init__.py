# SPDX-License-Identifier: Apache-2.0
"""Where two runs begin to differ: `freshet diff` reads what they have written, freshet.diff() steps them side by side."""
