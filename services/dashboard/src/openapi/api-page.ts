import type { ApiDocument, Operation } from './api-document';
import { schemaText } from './schema-text';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: unknown): string => String(text).replace(/[&<>"]/g, (char) => escapes[char] ?? char);
/** Text in backquotes is code. */
const prose = (text: unknown): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Returns the document as an HTML page without scripts. */
export function apiPage(document: ApiDocument): string {
  const { title, description } = document.info as { title: string; description: string };
  const groups = groupsOf(document);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} API</title>
<link rel="stylesheet" href="/docs.css">
</head>
<body>
<header>
<h1>${escaped(title)} API</h1>
<p>${prose(description)}</p>
<p><a href="/openapi.json">OpenAPI document</a> · <a href="/">Dashboard</a></p>
</header>
<nav aria-label="Calls"><ul>
${[...groups.keys(), 'Errors'].map((tag) => `<li><a href="#${tag === 'Errors' ? 'errors' : idOf(tag)}">${escaped(tag)}</a></li>`).join('\n')}
</ul></nav>
<main>
${[...groups].map(([tag, entries]) => group(tag, entries, document)).join('\n')}
${errors(document)}
</main>
</body>
</html>
`;
}

function groupsOf({ paths }: ApiDocument): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags[0] ?? '';
      groups.set(tag, [...(groups.get(tag) ?? []), { method: method.toUpperCase(), path, operation }]);
    }
  }
  return groups;
}

const idOf = (tag: string): string => `calls-${tag.toLowerCase()}`;

const group = (tag: string, entries: readonly Entry[], document: ApiDocument): string =>
  `<h2 id="${idOf(tag)}">${escaped(tag)}</h2>\n${entries.map((entry) => call(entry, document)).join('\n')}`;

/** Collapsed; a link to it opens it. */
function call({ method, path, operation }: Entry, document: ApiDocument): string {
  return `<details>
<summary><h3><span class="${method.toLowerCase()}">${method}</span> <code>${escaped(path)}</code></h3>
<span>${prose(operation.summary)}</span></summary>
<section id="${operation.operationId}" aria-label="${method} ${escaped(path)}">
<p>${operation.description ? `${prose(operation.description)} ` : ''}${credentials(operation)}</p>
${parameters(operation)}${body(operation, document)}${answers(operation, document)}
</section>
</details>`;
}

function credentials({ security }: Operation): string {
  const names = security.flatMap((one) => Object.keys(one));
  if (names.includes('login')) return 'Requires a login.';
  return names.includes('key') ? 'Requires an API key.' : 'Requires no authentication.';
}

function parameters({ parameters }: Operation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(
    ({ name, in: where, required, description = '', schema }) =>
      `<tr><th scope="row"><code>${escaped(name)}</code></th><td>${where}${required ? ', required' : ''}</td>` +
      `<td><code>${escaped(schemaText(schema, {}))}</code> ${prose(description)}</td></tr>`,
  );
  return `<h4>Parameters</h4>\n<table>${rows.join('')}</table>\n`;
}

type Content = Readonly<Record<string, { readonly schema?: unknown; readonly example?: unknown }>>;

function body({ requestBody }: Operation, document: ApiDocument): string {
  if (!requestBody) return '';
  const heading = requestBody.required ? 'Request body' : 'Request body (optional)';
  return `<h4>${heading}</h4>\n${contents(requestBody.content as Content, document)}`;
}

function answers({ responses }: Operation, document: ApiDocument): string {
  const refusals = Object.entries(responses)
    .filter(([status]) => status !== '200')
    .map(
      ([status, { description }]) => `<tr><th scope="row">${status}</th><td>${prose(description)}</td></tr>`,
    );
  const good = contents((responses[200]?.content ?? {}) as Content, document);
  return `<h4>Response</h4>\n${good}<h4>Errors</h4>\n<table>${refusals.join('')}</table>`;
}

const block = (text: string): string => `<pre tabindex="0">${escaped(text)}</pre>\n`;

const contents = (content: Content, { components }: ApiDocument): string =>
  Object.entries(content)
    .map(([type, { schema, example }]) => {
      const label = `<p><code>${escaped(type)}</code></p>\n`;
      const shape = schema ? block(schemaText(schema, components.schemas)) : '';
      const shown = example === undefined ? '' : `<p>Example</p>\n${block(JSON.stringify(example, null, 2))}`;
      return `${label}${shape}${shown}`;
    })
    .join('');

function errors({ components }: ApiDocument): string {
  const examples = components.examples as Readonly<Record<string, { summary: string; value: unknown }>>;
  const rows = Object.entries(examples).map(
    ([code, { summary, value }]) =>
      `<details><summary><h3><code>${code}</code></h3><span>${escaped(summary)}</span></summary>` +
      `<section id="error-${code}" aria-label="${code}">${block(JSON.stringify(value, null, 2))}</section></details>`,
  );
  return `<h2 id="errors">Error codes</h2>\n${rows.join('\n')}`;
}
