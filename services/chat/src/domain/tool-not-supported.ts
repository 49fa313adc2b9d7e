import { GatewayError } from '@gateway/errors';

/** Tools that only some models have: a search by the provider, and tools that Anthropic defines and the caller runs. */
export type OptionalTool = 'web_search' | 'anthropic_tool';

/** The call needs a tool that its model can't have. Thrown before any money is reserved. */
export class ToolNotSupported extends GatewayError {
  readonly tool: OptionalTool;

  constructor(tool: OptionalTool, detail: string) {
    super('invalid_request', { detail });
    this.tool = tool;
  }
}
