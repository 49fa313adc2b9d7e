import type { AssistantPart, ToolCallPart } from '../../domain/conversation';
import { fitToolId } from '../../domain/tool-ids';
import { parseExactObject } from '../../json/exact-json';
import type { GeminiPart } from './gemini-content';
import type { GeminiModel } from './gemini-model';
import { placedSignature } from './signed-part';

/**
 * What Gemini 3 takes for the signature of a call that it did not make itself, or whose signature was lost
 * (ai.google.dev/gemini-api/docs/thought-signatures).
 */
const SIGNATURE_OF_NONE = 'skip_thought_signature_validator';

/**
 * The parts of a model's turn. A signature stands on the very part that it came on; thoughts of other
 * providers, and unsigned ones, are left out.
 */
export function writeModelParts(parts: readonly AssistantPart[], model: GeminiModel): GeminiPart[] {
  const written = new ModelParts();
  for (const part of parts) {
    if (part.kind === 'text') written.addText(part.text);
    else if (part.kind === 'tool_call') written.addCall(part);
    else if (part.kind === 'thinking') {
      const signature = placedSignature(part.signature);
      if (signature?.on === 'text') written.signText(signature.value);
      else if (signature) written.addThought(part.text, signature.value);
    }
  }
  const list = written.end();
  // Of calls made together only the first is signed.
  const firstCall = list.find(({ functionCall }) => functionCall);
  if (firstCall && model.demandsSignatures) firstCall.thoughtSignature ??= SIGNATURE_OF_NONE;
  return list;
}

class ModelParts {
  readonly #list: GeminiPart[] = [];
  /** Of a text: the next, or else the one before. */
  #waiting: string | undefined;

  addText(text: string): void {
    if (text === '') return;
    this.#list.push({ text, thought: undefined, thoughtSignature: this.#waiting });
    this.#waiting = undefined;
  }

  addThought(text: string, thoughtSignature: string): void {
    this.#settle();
    this.#list.push({ text, thought: true, thoughtSignature });
  }

  signText(signature: string): void {
    this.#settle();
    this.#waiting = signature;
  }

  addCall(call: ToolCallPart): void {
    const signature = placedSignature(call.signature);
    if (signature?.on === 'text') this.signText(signature.value);
    this.#settle();
    this.#list.push({
      functionCall: { id: fitToolId(call.id), name: call.name, args: argumentsOf(call) },
      thoughtSignature: signature?.on === 'itself' ? signature.value : undefined,
    });
  }

  end(): GeminiPart[] {
    this.#settle();
    return this.#list;
  }

  /** No text follows: it was the one before, or one without words, as streams end with. */
  #settle(): void {
    if (this.#waiting === undefined) return;
    const last = this.#list.at(-1);
    if (last?.text !== undefined && !last.thought && last.thoughtSignature === undefined) {
      last.thoughtSignature = this.#waiting;
    } else {
      this.#list.push({ text: '', thought: undefined, thoughtSignature: this.#waiting });
    }
    this.#waiting = undefined;
  }
}

/**
 * Arguments that are no JSON object were written by a model, perhaps cut by its maximum output: who sends
 * them back cannot mend them, and the model should see what was called.
 */
function argumentsOf(call: ToolCallPart): object {
  if (call.arguments.trim() === '') return {};
  return parseExactObject(call.arguments) ?? { arguments: call.arguments };
}
