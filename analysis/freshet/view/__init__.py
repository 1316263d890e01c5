# SPDX-License-Identifier: Apache-2.0
"""`freshet view`: a page in the browser that shows a run, also one that still goes on.

command: the command line. server: pages and numbers over HTTP. scene: what can be shown of a run, and when. frames: particles,
surfaces and slices, reduced to what a browser can draw. packets: arrays as one answer. page.html, page.js: what the browser
gets.
"""
