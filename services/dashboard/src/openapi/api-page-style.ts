/** The style of the API document's page, which does not use the web UI's. */
export const API_PAGE_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8dee6, #333b45); --soft: light-dark(#f5f7f9, #1b2027);
  --text: light-dark(#1c2430, #dde3ea); --get: light-dark(#0b6e4f, #5fd0a5); --post: light-dark(#1d4ed8, #8fb4ff); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; color: var(--text);
  background: light-dark(#fff, #12161b); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.9rem; margin: 0 0 .5rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 1rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 0 0 .5rem; }
h4 { font-size: .9rem; margin: 1rem 0 .35rem; }
a { color: var(--post); }
a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--post); outline-offset: 2px; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, monospace; font-size: .86em; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .75rem; margin: 0;
  overflow-x: auto; max-height: 26rem; overflow-wrap: normal; }
nav { margin: 1.5rem 0; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0; padding: 0; list-style: none; }
details { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 .6rem; }
summary { cursor: pointer; padding: .6rem 1rem; border-radius: 8px; }
summary:hover { background: var(--soft); }
summary h3 { display: inline; margin: 0 .5rem 0 0; }
summary span { overflow-wrap: anywhere; }
section { padding: .25rem 1rem 1rem; scroll-margin-top: 4rem; }
section p { margin: .25rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
.get { color: var(--get); } .post { color: var(--post); }
`.trimStart();
