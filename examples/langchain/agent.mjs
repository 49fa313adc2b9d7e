import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

const model = new ChatOpenAI({
  model: 'sim/chat',
  apiKey: process.env.GATEWAY_API_KEY,
  configuration: { baseURL: `${process.env.GATEWAY_URL}/v1` },
});

const weather = tool(async ({ city }) => `It is sunny in ${city}.`, {
  name: 'weather',
  description: 'Returns the weather in a city.',
  schema: z.object({ city: z.string() }),
});

// `tool_choice` makes the simulator call the tool; a real model decides whether to call it.
const reply = await model
  .bindTools([weather], { tool_choice: 'weather' })
  .invoke('How is the weather in Oslo?');
for (const call of reply.tool_calls)
  console.log(call.name, JSON.stringify(call.args), (await weather.invoke(call)).content);
