import type { CallerRequest } from '../domain/caller-request';
import type { JsonPath } from '../json/map-at';

/** Where the bodies of a format have what a provider may refuse. */
export interface PassedPlaces {
  /** Names of tools. */
  readonly names: readonly JsonPath[];
  /** Ids of their calls. */
  readonly ids: readonly JsonPath[];
  /** The schema of the output. */
  readonly output: readonly JsonPath[];
  /** Schemas of their parameters. */
  readonly parameters: readonly JsonPath[];
  /** Inline media: an object with a type and data, or a data URL. */
  readonly media: readonly JsonPath[];
}

const paths = (...lines: readonly string[]): readonly JsonPath[] => lines.map((line) => line.split('.'));

const GOOGLE_PARTS = 'contents.*.parts.*';

export const PASSED_PLACES: Readonly<Record<CallerRequest['wire'], PassedPlaces>> = {
  openai: {
    names: [
      ...paths(
        'tools.*.function.name',
        'tools.*.custom.name',
        'functions.*.name',
        'tool_choice.function.name',
        'tool_choice.custom.name',
        'tool_choice.allowed_tools.tools.*.function.name',
        'tool_choice.allowed_tools.tools.*.custom.name',
        'function_call.name',
        'messages.*.tool_calls.*.function.name',
        'messages.*.tool_calls.*.custom.name',
        'messages.*.function_call.name',
      ),
      // In other messages it is that of a participant.
      ['messages', '*', ['role', 'function'], 'name'],
    ],
    ids: paths('messages.*.tool_calls.*.id', 'messages.*.tool_call_id'),
    output: paths('response_format.json_schema.schema'),
    parameters: paths('tools.*.function.parameters', 'functions.*.parameters'),
    media: paths(
      'messages.*.content.*.image_url.url',
      'messages.*.content.*.file.file_data',
      'messages.*.content.*.input_audio',
    ),
  },
  completions: { names: [], ids: [], output: [], parameters: [], media: [] },
  anthropic: {
    names: paths('tools.*.name', 'tool_choice.name', 'messages.*.content.*.name'),
    ids: paths('messages.*.content.*.id', 'messages.*.content.*.tool_use_id'),
    output: [],
    parameters: paths('tools.*.input_schema'),
    media: paths(
      'messages.*.content.*.source',
      'messages.*.content.*.content.*.source',
      'messages.*.content.*.source.content.*.source',
    ),
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
    output: [],
    parameters: [],
    media: paths(
      `${GOOGLE_PARTS}.inlineData`,
      `${GOOGLE_PARTS}.inline_data`,
      `${GOOGLE_PARTS}.functionResponse.parts.*.inlineData`,
      `${GOOGLE_PARTS}.function_response.parts.*.inline_data`,
    ),
  },
  responses: {
    names: paths(
      'tools.*.name',
      'tools.*.tools.*.name',
      'tool_choice.name',
      'tool_choice.namespace',
      'tool_choice.tools.*.name',
      'tool_choice.tools.*.namespace',
      'input.*.name',
      'input.*.namespace',
    ),
    ids: paths('input.*.call_id'),
    output: paths('text.format.schema'),
    parameters: paths('tools.*.parameters', 'tools.*.tools.*.parameters'),
    media: paths(
      'input.*.content.*.image_url',
      'input.*.content.*.file_data',
      'input.*.content.*.input_audio',
      'input.*.output.*.image_url',
      'input.*.output.*.file_data',
    ),
  },
};
