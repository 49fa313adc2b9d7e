import { GatewayClient, isGatewayError } from '@gateway/client';

const client = new GatewayClient({
  baseUrl: process.env.GATEWAY_URL,
  apiKey: process.env.GATEWAY_API_KEY,
  defaults: {
    onRetry: ({ error, waitMs }) => console.error(`${error.code}: again in ${Math.round(waitMs)} ms`),
  },
});

// A broken stream is sent again as a whole, so what it has yielded is discarded.
let text = '';
const body = { model: 'sim/chat', messages: [{ role: 'user', content: 'Hello!' }] };
for await (const { choices } of client.chat.stream(body, { onRestart: () => (text = '') }))
  text += choices[0]?.delta.content ?? '';
console.log(text);

// Repeated with the same idempotency key after a failure, so that nothing is charged twice.
const { data } = await client.images.generate({ model: 'sim/image', prompt: 'A cat in a hat.' });
console.log(`an image of ${Buffer.from(data[0].b64_json, 'base64').length} bytes`);

// Creates a task, polls it, and returns the links to its video.
const { videos } = await client.videos.generate({
  model: 'sim/video',
  prompt: 'A cat in a hat.',
  duration: 5,
});
console.log(`a video of ${videos[0].duration} s: ${videos[0].url}`);

try {
  await client.chat.create({ ...body, model: 'sim/none' });
} catch (error) {
  // Branch on the code: it never changes between releases.
  if (!isGatewayError(error, 'model_not_found')) throw error;
  console.log(error.status, error.code);
}
