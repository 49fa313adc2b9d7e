import type { AssistantPart, ToolCallPart } from '../../domain/conversation';
import { placedSignature } from '../../domain/gemini-signature';
import { fitToolId } from '../../domain/tool-ids';
import { parseExactObject } from '../../json/exact-json';
import type { GeminiPart } from './gemini-content';
import type { GeminiModel } from './gemini-model';

/**
 * The value that Gemini 3 accepts as the signature of a call that it did not make itself, or whose signature was lost
 * (ai.google.dev/gemini-api/docs/thought-signatures).
 */
const SIGNATURE_OF_NONE = 'skip_thought_signature_validator';

/**
 * Writes the parts of a model's turn. A signature is written on the part that it came with; unsigned thoughts and those of
 * other providers are omitted.
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
  // Of parallel calls only the first is signed.
  const firstCall = list.find(({ functionCall }) => functionCall);
  if (firstCall && model.demandsSignatures) firstCall.thoughtSignature ??= SIGNATURE_OF_NONE;
  return list;
}

class ModelParts {
  readonly #list: GeminiPart[] = [];
  /** The signature of a text: the next one, or else the previous one. */
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

  /** No text follows: the signature belongs to the previous text, or to an empty one, as at the end of streams. */
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
 * Arguments that are not a JSON object were written by a model, perhaps truncated by its maximum output. The caller can't fix
 * them, and the model should see what was called.
 */
function argumentsOf(call: ToolCallPart): object {
  if (call.arguments.trim() === '') return {};
  return parseExactObject(call.arguments) ?? { arguments: call.arguments };
}
