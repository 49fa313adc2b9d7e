import {
  defaultBaseUrl,
  isProviderKind,
  optionNames,
  optionProblems,
  PRESETS,
  PROVIDER_KINDS,
  type Preset,
} from '@gateway/providers';
import type { ProviderPresets } from '../api/providers';

/** Returns the presets of kinds that can be connected, sorted by name. */
export const presetsJson = (): ProviderPresets['data'] =>
  [...PRESETS.values()].filter(({ kind }) => isProviderKind(kind)).map(toPresetJson);

export const kindsJson = (): ProviderPresets['kinds'] =>
  PROVIDER_KINDS.map((kind) => ({
    kind,
    base_url: defaultBaseUrl(kind, {}) ?? null,
    options: optionNames(kind).filter((name) => name !== 'preset'),
  }));

const toPresetJson = ({
  id,
  name,
  kind,
  base_url,
  api_key,
  docs,
}: Preset): ProviderPresets['data'][number] => ({
  id,
  name,
  kind,
  base_url,
  api_key,
  docs: docs ?? null,
  options: optionsOf(kind, id),
});

/** Returns the options of a provider with this preset. Some kinds have no presets: their own base URL is the preset's. */
function optionsOf(kind: Preset['kind'], preset: string) {
  const options = { preset };
  return isProviderKind(kind) && optionProblems(kind, options).length === 0 ? options : {};
}
