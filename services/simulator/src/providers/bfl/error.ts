import { ProviderError } from '../provider-error';

/** An error body in the shape of api.bfl.ai, which is FastAPI's; docs.bfl.ai, "Errors", has the statuses. */
export class BflError extends ProviderError {
  constructor(
    status: number,
    message: string,
    /** The field at fault, for a body that is not as it must be. */
    readonly field: string | null = null,
  ) {
    super(status, message);
  }

  toBody(): unknown {
    const { field, message } = this;
    if (field === null) return { detail: message };
    return { detail: [{ type: 'value_error', loc: ['body', field], msg: message }] };
  }
}

/** What a poll says of a task that is not there: a body like any poll's. */
export class TaskNotFound extends ProviderError {
  constructor(readonly taskId: string) {
    super(404, 'Task not found');
  }

  toBody(): unknown {
    return { id: this.taskId, status: 'Task not found', result: null, progress: null, details: null };
  }
}

const MESSAGES: Readonly<Record<number, string>> = {
  402: 'Insufficient credits.',
  403: 'Not authenticated - Invalid Authentication',
  404: 'Not Found',
  429: 'Rate limit exceeded.',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

export const errorOfStatus = (status: number, message?: string) =>
  new BflError(status, message ?? MESSAGES[status] ?? 'The request was refused as its directive demands.');

export const invalid = (field: string, message: string) => new BflError(422, message, field);
