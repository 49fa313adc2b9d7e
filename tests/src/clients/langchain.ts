import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import {
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { concat } from '@langchain/core/utils/stream';
import type { Answer, Connection, Question } from './client';

/** Far more than any test needs. */
const MAX_ROUNDS = 10;

type Model = Pick<BaseChatModel, 'invoke' | 'stream'>;
/** A plain message, or one collected from a stream. */
type Reply = BaseMessage &
  Pick<AIMessageChunk, 'tool_calls'> & { readonly usage_metadata?: UsageMetadata | undefined };

/**
 * Implements the parts that LangChain's models share, for any provider.
 * @param modelOf returns a model configured for the question
 * @param answerOf returns the reply in a message
 */
export function connectLangChain(
  modelOf: (question: Question) => BaseChatModel,
  answerOf: (message: Reply) => Answer,
): Connection {
  return {
    async ask(question) {
      return answerOf(await reply(modelOf(question), messagesOf(question), question.stream));
    },
    askObject(question, schema) {
      const model = modelOf(question).withStructuredOutput(schema, { name: 'reply' });
      return question.stream ? last(model.stream(messagesOf(question))) : model.invoke(messagesOf(question));
    },
    async runTools(question, { name, description, input, run }) {
      const callable = tool(run, { name, description, schema: input });
      const model = modelOf(question).bindTools!([callable]);
      const messages = messagesOf(question);
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const message = await reply(model as Model, messages, question.stream);
        if (!message.tool_calls?.length) return answerOf(message);
        messages.push(message);
        for (const call of message.tool_calls) messages.push(await callable.invoke(call));
      }
      throw new Error('the model never stops calling tools');
    },
    async leave(question, pieces) {
      let text = '';
      let seen = 0;
      for await (const chunk of await modelOf(question).stream(messagesOf(question))) {
        if (chunk.text === '') continue;
        text += chunk.text;
        if (++seen === pieces) break;
      }
      return text;
    },
  };
}

async function reply(model: Model, messages: BaseMessage[], stream: boolean): Promise<Reply> {
  if (!stream) return model.invoke(messages);
  let whole: AIMessageChunk | undefined;
  for await (const chunk of await model.stream(messages)) whole = whole ? concat(whole, chunk) : chunk;
  return whole!;
}

async function last<T>(stream: Promise<AsyncIterable<T>>): Promise<T | undefined> {
  let value: T | undefined;
  for await (const part of await stream) value = part;
  return value;
}

function messagesOf({ prompt, system, image }: Question): BaseMessage[] {
  const text = { type: 'text' as const, text: prompt };
  const shown = { type: 'image' as const, source_type: 'base64', mime_type: 'image/png', data: image };
  return [
    ...(system ? [new SystemMessage(system)] : []),
    new HumanMessage(image ? { content: [text, shown] } : prompt),
  ];
}
