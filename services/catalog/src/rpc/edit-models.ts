import { isDeepStrictEqual } from 'node:util';
import { GatewayError } from '@gateway/errors';
import type { CreateModelRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/CreateModelRequest';
import type { Model as ModelProto } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import type { SetModelStatusRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/SetModelStatusRequest';
import type { SetPricingRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/SetPricingRequest';
import type { UpdateModelRequest__Output } from '@gateway/proto/generated/gateway/catalog/v1/UpdateModelRequest';
import type { RequestContext } from '@gateway/rpc';
import type { Model, ModelEntry } from '../domain/model';
import { checkEntry } from '../seed/check-entry';
import type { CatalogEdit } from '../store/edit-catalog';
import { fromProtoModel, fromProtoPricing, fromProtoStatus } from './from-proto';
import { toProtoModel } from './to-proto';

/** Runs a change in one transaction; when it returns, the change is in this instance's memory. */
export type Edit = <T>(work: (edit: CatalogEdit) => Promise<T>) => Promise<T>;

export const createModel =
  (edit: Edit) =>
  async (_context: RequestContext, { model }: CreateModelRequest__Output): Promise<ModelProto> => {
    const entry = checkEntry(fromProtoModel(model));
    const made = await edit(async (catalog) => {
      if (await catalog.find(entry.slug)) throw invalid(`slug: ${entry.slug} already exists`);
      await checkNames(catalog, entry);
      await checkSuccessor(catalog, entry);
      await checkFallbacks(catalog, entry, []);
      await catalog.insert(entry);
      return catalog.find(entry.slug);
    });
    return toProtoModel(made!);
  };

export const updateModel =
  (edit: Edit) =>
  async (_context: RequestContext, request: UpdateModelRequest__Output): Promise<ModelProto> => {
    const entry = fromProtoModel(request.model);
    return change(edit, entry.slug, (current) => ({
      ...entry,
      status: current.status,
      pricing: current.pricing,
      // A dashboard of an older version does not send them.
      image: entry.image ?? (request.clearImage ? undefined : current.image),
      video: entry.video ?? (request.clearVideo ? undefined : current.video),
      aliases: request.setAliases ? entry.aliases : current.aliases,
      strategy: request.model?.strategy ? entry.strategy : current.strategy,
      fallbackModels: request.setFallbackModels ? entry.fallbackModels : current.fallbackModels,
    }));
  };

/** Keeps the successor if none is given. */
export const setModelStatus =
  (edit: Edit) =>
  async (_context: RequestContext, request: SetModelStatusRequest__Output): Promise<ModelProto> => {
    const status = fromProtoStatus(request.status);
    return change(edit, request.slug, (current) => ({
      ...current,
      status,
      successor: request.successor || current.successor,
    }));
  };

/** Prices equal to the current ones create no version, so that a repeated call changes nothing. */
export const setPricing =
  (edit: Edit) =>
  async (_context: RequestContext, request: SetPricingRequest__Output): Promise<ModelProto> => {
    const pricing = fromProtoPricing(request.pricing);
    const next = (current: Model) => ({ ...current, pricing });
    return change(edit, request.slug, next, (current, entry) =>
      checkVersion(current, entry, BigInt(request.ifVersion)),
    );
  };

async function change(
  edit: Edit,
  slug: string,
  next: (current: Model) => ModelEntry,
  check: (current: Model, entry: ModelEntry) => void = () => {},
): Promise<ModelProto> {
  const changed = await edit(async (catalog) => {
    const current = await findModel(catalog, slug);
    const entry = checkEntry(next(current));
    check(current, entry);
    await checkNames(catalog, entry);
    if (entry.successor !== current.successor) await checkSuccessor(catalog, entry);
    await checkFallbacks(catalog, entry, current.fallbackModels);
    await catalog.replace(current, entry);
    return catalog.find(slug);
  });
  return toProtoModel(changed!);
}

async function findModel(catalog: CatalogEdit, slug: string): Promise<Model> {
  // PostgreSQL does not accept NUL in text.
  const model = slug.includes('\0') ? undefined : await catalog.find(slug);
  if (!model) throw new GatewayError('model_not_found');
  return model;
}

/** Refuses an outdated version, so that an operator does not overwrite another's prices unknowingly. 0: any version. */
function checkVersion({ priceVersion, pricing }: Model, entry: ModelEntry, ifVersion: bigint): void {
  if (ifVersion === 0n || ifVersion === priceVersion) return;
  if (isDeepStrictEqual(entry.pricing, pricing)) return;
  throw invalid(`if_version: prices have changed; the current version is ${priceVersion}`);
}

/** The table's constraint refuses this too, but does not tell the operator which model has the name. */
async function checkNames(catalog: CatalogEdit, { slug, aliases }: ModelEntry): Promise<void> {
  const owners = await catalog.ownersOf([slug, ...aliases]);
  for (const [name, owner] of owners) {
    if (owner === slug) continue;
    throw invalid(`${name === slug ? 'slug' : 'aliases'}: ${name} is already used by ${owner}`);
  }
}

/** The successor must be callable now; it may be removed later. */
async function checkSuccessor(catalog: CatalogEdit, { successor }: ModelEntry): Promise<void> {
  if (successor === undefined) return;
  const found = successor.includes('\0') ? undefined : await catalog.find(successor);
  if (!found) throw invalid(`successor: ${successor.slice(0, 200)} does not exist`);
  if (found.status === 'delisted') throw invalid(`successor: ${successor} is delisted`);
}

/** @param known fallback models that have been checked before: they may have been delisted since, and are skipped then */
async function checkFallbacks(
  catalog: CatalogEdit,
  { fallbackModels }: ModelEntry,
  known: readonly string[],
): Promise<void> {
  for (const slug of fallbackModels.filter((one) => !known.includes(one))) {
    const found = slug.includes('\0') ? undefined : await catalog.find(slug);
    if (!found) throw invalid(`fallback_models: ${slug} does not exist`);
    if (found.status === 'delisted') throw invalid(`fallback_models: ${slug} is delisted`);
    if (!found.outputModalities.includes('text'))
      throw invalid(`fallback_models: ${slug} is not a chat model`);
  }
}

const invalid = (detail: string) => new GatewayError('invalid_request', { detail });
