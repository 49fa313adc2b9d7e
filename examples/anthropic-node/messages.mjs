import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  apiKey: process.env.GATEWAY_API_KEY,
  baseURL: process.env.GATEWAY_URL,
});

const stream = client.messages.stream({
  model: 'sim/chat',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello!' }],
});
stream.on('text', (text) => process.stdout.write(text));
const { usage } = await stream.finalMessage();
console.log(`\n${usage.input_tokens} input and ${usage.output_tokens} output tokens`);
