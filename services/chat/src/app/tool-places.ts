import type { CallerRequest } from '../domain/caller-request';
import type { JsonPath } from '../json/map-strings';

/** Where the bodies of a format have the names of tools and the ids of their calls, by their top-level member. */
export interface ToolPlaces {
  readonly names: readonly JsonPath[];
  readonly ids: readonly JsonPath[];
}

const paths = (...lines: readonly string[]): readonly JsonPath[] => lines.map((line) => line.split('.'));

const GOOGLE_PARTS = 'contents.*.parts.*';

export const TOOL_PLACES: Readonly<Record<CallerRequest['wire'], ToolPlaces>> = {
  openai: {
    names: paths(
      'tools.*.function.name',
      'functions.*.name',
      'tool_choice.function.name',
      'tool_choice.allowed_tools.tools.*.function.name',
      'function_call.name',
      'messages.*.tool_calls.*.function.name',
      'messages.*.function_call.name',
    ),
    ids: paths('messages.*.tool_calls.*.id', 'messages.*.tool_call_id'),
  },
  completions: { names: [], ids: [] },
  anthropic: {
    names: paths('tools.*.name', 'tool_choice.name', 'messages.*.content.*.name'),
    ids: paths('messages.*.content.*.id', 'messages.*.content.*.tool_use_id'),
  },
  gemini: {
    names: paths(
      'tools.*.functionDeclarations.*.name',
      'tools.*.function_declarations.*.name',
      'toolConfig.functionCallingConfig.allowedFunctionNames.*',
      'tool_config.function_calling_config.allowed_function_names.*',
      `${GOOGLE_PARTS}.functionCall.name`,
      `${GOOGLE_PARTS}.function_call.name`,
      `${GOOGLE_PARTS}.functionResponse.name`,
      `${GOOGLE_PARTS}.function_response.name`,
    ),
    ids: [],
  },
  responses: {
    names: paths(
      'tools.*.name',
      'tools.*.tools.*.name',
      'tool_choice.name',
      'tool_choice.tools.*.name',
      'input.*.name',
    ),
    ids: paths('input.*.call_id'),
  },
};
