import { rateHeaders } from '@gateway/errors';
import { jsonReply, type LinkHandler } from '@gateway/link';
import type { Admission } from '../billing/admission';
import type { Tasks } from '../store/tasks';
import { parseTaskList } from '../videos/rules/task-list';
import { toListedJson } from '../videos/video-json';

export interface ListVideosDeps {
  readonly tasks: Pick<Tasks, 'list'>;
  readonly admission: Pick<Admission, 'admitFree'>;
}

/** Handles `GET /v1/videos`: the account's tasks of models that the key may call, or those of the key alone, newest first. Counts against RPM. */
export function listVideos({ tasks, admission }: ListVideosDeps): LinkHandler {
  return async (context, call) => {
    const request = parseTaskList(call.query ?? '');
    const { rates, ownContentOnly } = await admission.admitFree(context, call);
    const { accountId, keyId, allowedModels } = call.key;
    const reader = { accountId, allowedModels, ...(ownContentOnly && { onlyKeyId: keyId }) };
    const found = await tasks.list(reader, { ...request, limit: request.limit + 1 });
    const data = found.slice(0, request.limit).map(toListedJson);
    const list = {
      object: 'list',
      data,
      first_id: data.at(0)?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: found.length > request.limit,
    };
    return jsonReply(list, rateHeaders(rates));
  };
}
