import OpenAI from 'openai';

const client = new OpenAI({
  apiKey: process.env.GATEWAY_API_KEY,
  baseURL: `${process.env.GATEWAY_URL}/v1`,
});

const stream = await client.chat.completions.create({
  model: 'sim/chat',
  messages: [{ role: 'user', content: 'Hello!' }],
  stream: true,
  stream_options: { include_usage: true },
});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta?.content ?? '');
  if (chunk.usage) console.log(`\n${chunk.usage.total_tokens} tokens`);
}

try {
  await client.chat.completions.create({
    model: 'sim/none',
    messages: [{ role: 'user', content: 'Hello!' }],
  });
} catch (error) {
  // Branch on the code: it never changes between releases.
  console.log(error.status, error.code);
}
