import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';

const gateway = createOpenAICompatible({
  name: 'gateway',
  apiKey: process.env.GATEWAY_API_KEY,
  baseURL: `${process.env.GATEWAY_URL}/v1`,
  includeUsage: true,
});

const result = streamText({ model: gateway('sim/chat'), prompt: 'Hello!' });
for await (const text of result.textStream) process.stdout.write(text);
console.log(`\n${(await result.usage).totalTokens} tokens`);
