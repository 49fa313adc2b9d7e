import type { ToolCall } from '../../domain/prompt';
import { instanceOf } from '../../domain/schema-instance';
import { isObject, type Json } from '../json';
import { invalid } from './error';
import type { ProtoReader } from './proto-reader';
import { checkSchema, readSchema } from './schema';

const TOOL_FIELDS = new Set([
  'functionDeclarations',
  'codeExecution',
  'computerUse',
  'fileSearch',
  'googleMaps',
  'googleSearch',
  'googleSearchRetrieval',
  'mcpServers',
  'urlContext',
]);

const DECLARATION_FIELDS = new Set([
  'behavior',
  'description',
  'name',
  'parameters',
  'parametersJsonSchema',
  'response',
  'responseJsonSchema',
]);

const CONFIG_FIELDS = new Set([
  'functionCallingConfig',
  'retrievalConfig',
  'includeServerSideToolInvocations',
]);
const CALLING_FIELDS = new Set(['mode', 'allowedFunctionNames']);
const MODES = new Set(['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED']);
const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;

export interface Functions {
  /** As received, including the provider's own tools. */
  readonly tools: readonly unknown[];
  readonly declarations: readonly Json[];
  readonly mode: string;
  readonly allowed: readonly string[];
}

/** Reads `tools` and `toolConfig`; `checkFunctions` runs only if the rest of the body is valid. */
export function readFunctions(body: Json, reader: ProtoReader): Functions {
  const tools = reader
    .list(body.tools, 'tools')
    .map((tool, i) => reader.message(tool, TOOL_FIELDS, `tools[${i}]`));
  const declarations = tools.flatMap((tool, i) =>
    readDeclarations(tool, reader, `tools[${i}].function_declarations`),
  );
  const config = reader.message(body.toolConfig, CONFIG_FIELDS, 'tool_config');
  const at = 'tool_config.function_calling_config';
  const calling = reader.message(config.functionCallingConfig, CALLING_FIELDS, at);
  const others = tools.filter((tool) => tool.functionDeclarations == null);
  return {
    tools: [...declarations, ...others],
    declarations,
    mode: reader.enumeration(calling.mode, MODES, `${at}.mode`) ?? 'AUTO',
    allowed: reader.texts(calling.allowedFunctionNames, `${at}.allowed_function_names`),
  };
}

/** Whether a tool searches the web. Functions beside it are refused, as by most models. @throws ProviderError */
export function searchesWeb({ tools, declarations }: Functions): boolean {
  if (!tools.some((tool) => isObject(tool) && tool.googleSearch != null)) return false;
  if (declarations.length > 0)
    throw invalid(
      'Built-in tools ({google_search}) and Function Calling cannot be combined in the same request.',
    );
  return true;
}

function readDeclarations(tool: Json, reader: ProtoReader, at: string): Json[] {
  return reader.list(tool.functionDeclarations, at).map((value, i) => {
    const declaration = reader.message(value, DECLARATION_FIELDS, `${at}[${i}]`);
    reader.text(declaration.name, `${at}[${i}].name`);
    reader.text(declaration.description, `${at}[${i}].description`);
    if (declaration.parameters != null) readSchema(declaration.parameters, reader, `${at}[${i}].parameters`);
    return declaration;
  });
}

/** Returns the call that the request forces; null if it forces none. @throws ProviderError */
export function checkFunctions({ declarations, mode, allowed }: Functions): ToolCall | null {
  const names = new Set<unknown>();
  declarations.forEach((declaration, i) => {
    checkDeclaration(declaration, `tools[0].function_declarations[${i}]`);
    if (names.has(declaration.name))
      throw invalid(`Duplicate function declaration found: ${declaration.name}`);
    names.add(declaration.name);
  });
  if (allowed.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED') {
    throw invalid(
      'allowed_function_names should only be set when function_calling_config mode is ANY or VALIDATED.',
    );
  }
  const stray = allowed.find((name) => !names.has(name));
  if (stray !== undefined)
    throw invalid(`allowed_function_names has a function that is not declared: ${stray}`);
  if (mode !== 'ANY') return null;
  const first = declarations.find(({ name }) => allowed.length === 0 || allowed.includes(String(name)));
  if (first === undefined) throw invalid('Function calling mode is ANY and no function is declared.');
  const schema = first.parameters ?? first.parametersJsonSchema ?? { type: 'object' };
  return { name: String(first.name), arguments: JSON.stringify(instanceOf(schema)) };
}

function checkDeclaration(declaration: Json, at: string): void {
  const { name, parameters, parametersJsonSchema } = declaration;
  if (!NAME.test(String(name ?? ''))) {
    throw invalid(
      `* GenerateContentRequest.${at}.name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.\n`,
    );
  }
  if (parameters != null && parametersJsonSchema != null) {
    throw invalid(
      `* GenerateContentRequest.${at}: parameters and parameters_json_schema may not both be set\n`,
    );
  }
  if (!isObject(parameters)) return;
  if (String(parameters.type).toUpperCase() !== 'OBJECT') {
    throw invalid(`* GenerateContentRequest.${at}.parameters: schema should be of type OBJECT\n`);
  }
  checkSchema(parameters, `${at}.parameters`);
}
