import { type JsonObject, listOf, membersOf } from '@gateway/upstream';
import { allowedTools } from '../../domain/allowed-tools';
import type { Conversation, Tool, WebSearch } from '../../domain/conversation';
import { ToolNotSupported } from '../../domain/tool-not-supported';
import type { GeminiModel } from './gemini-model';

export interface GeminiTools {
  readonly tools?: readonly (
    | { readonly functionDeclarations: readonly object[] }
    | { readonly googleSearch: object }
  )[];
  readonly toolConfig?: {
    readonly functionCallingConfig: {
      readonly mode: 'AUTO' | 'ANY' | 'NONE';
      readonly allowedFunctionNames?: readonly string[];
    };
  };
}

/**
 * Writes the search. The API has no maximum of searches, no list of allowed domains and no location; which domains it skips can be
 * set on Vertex AI only.
 * @throws ToolNotSupported for domains, and for functions beside it, which most models refuse
 */
function writeSearch(
  { allowedDomains, blockedDomains }: WebSearch,
  tools: readonly Tool[],
): Pick<GeminiTools, 'tools'> {
  if (allowedDomains.length + blockedDomains.length > 0)
    throw refusedSearch('domains cannot be chosen or blocked with this model');
  if (tools.length > 0) throw besideFunctions();
  return { tools: [{ googleSearch: {} }] };
}

const refusedSearch = (detail: string) => new ToolNotSupported('web_search', `web search: ${detail}`);
const besideFunctions = () => refusedSearch('other tools cannot be used beside it with this model');

/**
 * Throws for a body of the API's own format that has a search beside functions, which Google refuses unless the model can combine them
 * and the call asks for that. @throws ToolNotSupported
 */
export function refuseSearchBesideFunctions(body: JsonObject, { searchesBesideTools }: GeminiModel): void {
  const tools = listOf(body.tools).map(membersOf);
  if (!tools.some(({ googleSearch, google_search = googleSearch }) => google_search != null)) return;
  const hasFunctions = tools.some(
    ({ functionDeclarations, function_declarations = functionDeclarations }) =>
      listOf(function_declarations).length > 0,
  );
  if (!hasFunctions) return;
  const { includeServerSideToolInvocations, include_server_side_tool_invocations } = membersOf(
    body.toolConfig ?? body.tool_config,
  );
  const isAsked = (includeServerSideToolInvocations ?? include_server_side_tool_invocations) === true;
  if (!isAsked || !searchesBesideTools) throw besideFunctions();
}

/**
 * Writes `tools` and `toolConfig`. Gemini has no setting against parallel calls, nor for arguments that strictly match the
 * schema: both are hints that callers check themselves.
 */
export function writeTools(
  { tools, webSearch, toolChoice, output }: Conversation,
  model: GeminiModel,
): GeminiTools {
  if (webSearch && toolChoice.kind !== 'none') return writeSearch(webSearch, tools);
  if (toolChoice.kind === 'none' && output.kind !== 'text' && !model.jsonBesideTools) return {};
  const offered = offeredTools(tools, toolChoice);
  if (offered.length === 0) return {};
  return {
    tools: [{ functionDeclarations: offered.map(writeDeclaration) }],
    toolConfig: { functionCallingConfig: callingConfig(toolChoice) },
  };
}

/** Names may be listed only if a call is forced; otherwise the other tools are omitted. */
function offeredTools(tools: readonly Tool[], choice: Conversation['toolChoice']): readonly Tool[] {
  if (choice.kind !== 'allowed' || choice.required) return tools;
  return allowedTools(tools, choice.names);
}

function callingConfig(
  choice: Conversation['toolChoice'],
): NonNullable<GeminiTools['toolConfig']>['functionCallingConfig'] {
  switch (choice.kind) {
    case 'auto':
      return { mode: 'AUTO' };
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
    case 'allowed':
      return choice.required ? { mode: 'ANY', allowedFunctionNames: choice.names } : { mode: 'AUTO' };
  }
}

function writeDeclaration({ name, description, parameters }: Tool): object {
  return {
    name,
    description: description || undefined,
    // Without parameters it is unset, as the type's documentation asks.
    parametersJsonSchema: isEmpty(parameters) ? undefined : writeSchema({ type: 'object', ...parameters }),
  };
}

/**
 * Writes a JSON schema for `parametersJsonSchema` or `responseJsonSchema`, which accept any: keywords that a model ignores
 * are no error, unlike in the older `parameters`, which refuses `const`, `propertyNames`, `exclusiveMinimum` and others. Only
 * `$schema` is removed.
 */
export function writeSchema(schema: Readonly<Record<string, unknown>>): object {
  const { $schema: _language, ...rest } = schema;
  return rest;
}

/** An object without members, whose schema says nothing else. */
function isEmpty({ $schema: _language, type, properties, required, ...rest }: Tool['parameters']): boolean {
  const { additionalProperties = false, ...others } = rest;
  if (type !== undefined && type !== 'object') return false;
  return additionalProperties === false && ![properties, required, others].some(hasMembers);
}

function hasMembers(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
