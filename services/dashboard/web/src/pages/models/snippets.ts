import type { Model } from '../../api/models';
import { kindsOf, providerOf } from './model-kinds';

export interface Snippet {
  readonly label: string;
  readonly code: string;
}

/** The environment variable with the reader's key. */
const KEY_VARIABLE = 'GATEWAY_KEY';
const QUESTION = 'Why is the sky blue?';
const PICTURE = 'A lighthouse in a storm, oil on canvas';

/** Returns snippets for a first request that fits the model's output. */
export function snippetsOf(model: Model, apiUrl: string): Snippet[] {
  const [kind] = model.image ? ['image'] : kindsOf(model);
  if (kind === 'image') return imageSnippets(model, apiUrl);
  if (kind === 'video') return videoSnippets(model, apiUrl);
  return providerOf(model) === 'anthropic'
    ? [...chatSnippets(model, apiUrl), anthropicSnippet(model, apiUrl)]
    : chatSnippets(model, apiUrl);
}

function curl(apiUrl: string, path: string, body: object): string {
  return [
    `curl ${apiUrl}${path} \\`,
    `  -H "Authorization: Bearer $${KEY_VARIABLE}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`)}'`,
  ].join('\n');
}

/** A JSON string is also a string literal of Python and TypeScript. */
const text = (value: string): string => JSON.stringify(value);

const pythonClient = (apiUrl: string, imports: readonly string[]): string => `import os
${[...imports, 'from openai import OpenAI'].join('\n')}

client = OpenAI(base_url=${text(`${apiUrl}/v1`)}, api_key=os.environ["${KEY_VARIABLE}"])
`;

const scriptClient = (apiUrl: string, imports: readonly string[] = []): string => `${[
  ...imports,
  `import OpenAI from "openai";`,
].join('\n')}

const client = new OpenAI({ baseURL: ${text(`${apiUrl}/v1`)}, apiKey: process.env.${KEY_VARIABLE} });
`;

function chatSnippets({ slug }: Model, apiUrl: string): Snippet[] {
  const messages = [{ role: 'user', content: QUESTION }];
  return [
    { label: 'curl', code: curl(apiUrl, '/v1/chat/completions', { model: slug, messages }) },
    {
      label: 'Python',
      code: `${pythonClient(apiUrl, [])}
reply = client.chat.completions.create(
    model=${text(slug)},
    messages=[{"role": "user", "content": ${text(QUESTION)}}],
)
print(reply.choices[0].message.content)`,
    },
    {
      label: 'TypeScript',
      code: `${scriptClient(apiUrl)}
const reply = await client.chat.completions.create({
  model: ${text(slug)},
  messages: [{ role: "user", content: ${text(QUESTION)} }],
});
console.log(reply.choices[0]?.message.content);`,
    },
  ];
}

const anthropicSnippet = ({ slug }: Model, apiUrl: string): Snippet => ({
  label: 'TypeScript (Anthropic SDK)',
  code: `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: ${text(apiUrl)}, apiKey: process.env.${KEY_VARIABLE} });

const reply = await client.messages.create({
  model: ${text(slug)},
  max_tokens: 1024,
  messages: [{ role: "user", content: ${text(QUESTION)} }],
});
for (const block of reply.content) {
  if (block.type === "text") console.log(block.text);
}`,
});

function imageSnippets({ slug, image }: Model, apiUrl: string): Snippet[] {
  const size = image?.sizes.length ? image.default_size : undefined;
  return [
    {
      label: 'curl',
      code: curl(apiUrl, '/v1/images', { model: slug, prompt: PICTURE, ...(size && { size }) }),
    },
    {
      label: 'Python',
      code: `${pythonClient(apiUrl, ['from base64 import b64decode', 'from pathlib import Path'])}
reply = client.images.generate(
    model=${text(slug)},
    prompt=${text(PICTURE)},${size ? `\n    size=${text(size)},` : ''}
)
Path("image.png").write_bytes(b64decode(reply.data[0].b64_json))`,
    },
    {
      label: 'TypeScript',
      code: `${scriptClient(apiUrl, ['import { writeFile } from "node:fs/promises";'])}
const reply = await client.images.generate({
  model: ${text(slug)},
  prompt: ${text(PICTURE)},${size ? `\n  size: ${text(size)},` : ''}
});
await writeFile("image.png", Buffer.from(reply.data?.[0]?.b64_json ?? "", "base64"));`,
    },
  ];
}

/** SDKs do not have these three calls. */
function videoSnippets(model: Model, apiUrl: string): Snippet[] {
  const { slug, pricing } = model;
  const url = `${apiUrl}/v1/videos/${providerOf(model)}`;
  const tier = pricing?.video?.default_tier ? undefined : pricing?.video?.tiers[0];
  const order = { model: slug, prompt: PICTURE, ...(tier !== undefined && { tier }) };
  const task = { task_id: 'TASK_ID' };
  return [
    {
      label: 'curl',
      code: [
        '# 1. Create a task. The response has a task_id.',
        curl(url, '/create', order),
        '',
        '# 2. Poll until the status is "completed".',
        curl(url, '/status', task),
        '',
        '# 3. Get the video URL.',
        curl(url, '/result', task),
      ].join('\n'),
    },
    { label: 'Python', code: pythonVideo(url, order) },
    { label: 'TypeScript', code: scriptVideo(url, order) },
  ];
}

const pythonVideo = (url: string, order: object): string => `import os
import time
import httpx

api = httpx.Client(
    base_url=${text(url)},
    headers={"Authorization": f"Bearer {os.environ['${KEY_VARIABLE}']}"},
    timeout=60,
)

def call(action, body):
    return api.post(f"/{action}", json=body).raise_for_status().json()

task = call("create", ${JSON.stringify(order).replaceAll('":"', '": "').replaceAll('","', '", "')})
while task["status"] in ("queued", "running"):
    time.sleep(5)
    task = {**task, **call("status", {"task_id": task["task_id"]})}
print(call("result", {"task_id": task["task_id"]}))`;

const scriptVideo = (
  url: string,
  order: object,
): string => `async function call(action: string, body: object) {
  const response = await fetch(\`${url}/\${action}\`, {
    method: "POST",
    headers: {
      Authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

const { task_id } = await call("create", ${JSON.stringify(order, null, 2)});
let status = "queued";
while (status === "queued" || status === "running") {
  await new Promise((resolve) => setTimeout(resolve, 5000));
  ({ status } = await call("status", { task_id }));
}
console.log(await call("result", { task_id }));`;
