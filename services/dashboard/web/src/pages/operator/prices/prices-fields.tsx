import { AUDIO_RATE_NAMES, PRICED_UNIT_NAMES, PRICED_UNITS, TOKEN_RATE_NAMES } from '@gateway/pricing';
import { Button, Fieldset, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { Plus } from 'lucide-react';
import { type Problems, problemsAt } from '../models/problems';
import { ImagePrices } from './image-prices';
import { newTier, type PricesDraft } from './prices-draft';
import { RatesFields } from './rates-fields';
import { VideoPrices } from './video-prices';

interface PricesFieldsProps {
  draft: PricesDraft;
  onChange: (draft: PricesDraft) => void;
  problems: Problems;
  /** The model's output, which decides what fields are shown. */
  outputs: readonly string[];
}

/** Outputs of models that are priced by tokens. */
const TOKEN_OUTPUTS = ['text', 'embedding', 'moderation', 'rerank'];

/** Fields for all prices of a model. Usage with an empty price is refused. */
export function PricesFields(props: PricesFieldsProps) {
  const { draft, onChange, problems, outputs } = props;
  const hasTokens =
    TOKEN_OUTPUTS.some((output) => outputs.includes(output)) || Object.values(draft.tokens).some(Boolean);
  return (
    <Stack>
      {hasTokens && <TokenPrices {...props} />}
      <UsePrices {...props} />
      {(outputs.includes('image') || draft.images.length > 0) && <ImagePrices {...props} />}
      {(outputs.includes('video') || draft.seconds.length > 0) && <VideoPrices {...props} />}
      {(outputs.includes('speech') ||
        outputs.includes('transcription') ||
        Object.values(draft.audioRates).some(Boolean)) && <AudioPrices {...props} />}
      <Fieldset legend="Source of the prices">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label="Source"
            description="A link or a contract"
            placeholder="set by an operator"
            maxLength={500}
            value={draft.source}
            onChange={(event) => onChange({ ...draft, source: event.currentTarget.value })}
            error={problemsAt(problems, 'pricing.source')}
          />
          <TextInput
            label="Source date"
            description="When the prices were read"
            type="date"
            value={draft.sourceDate}
            onChange={(event) => onChange({ ...draft, sourceDate: event.currentTarget.value })}
            error={problemsAt(problems, 'pricing.source_date')}
          />
        </SimpleGrid>
      </Fieldset>
    </Stack>
  );
}

function AudioPrices({ draft, onChange, problems }: PricesFieldsProps) {
  return (
    <Fieldset legend="Audio">
      <Stack>
        <Text size="sm" c="dimmed">
          USD per million characters of speech, per hour of transcribed audio, or per million tokens.
        </Text>
        <RatesFields
          names={AUDIO_RATE_NAMES}
          rates={draft.audioRates}
          onChange={(audioRates) => onChange({ ...draft, audioRates })}
          problems={problems}
          path="pricing.audio"
        />
      </Stack>
    </Fieldset>
  );
}

/** Of what models with these outputs can use, and what has a price already. */
function UsePrices({ draft, onChange, problems, outputs }: PricesFieldsProps) {
  const names = PRICED_UNIT_NAMES.filter(
    (unit) => draft.units[unit] || outputs.includes(PRICED_UNITS[unit].output),
  );
  if (names.length === 0) return null;
  return (
    <Fieldset legend="Per use">
      <Stack>
        <Text size="sm" c="dimmed">
          USD per use; providers often list it per thousand.
          {outputs.includes('text') &&
            ' A web search is priced by itself or by its prompt, as the provider bills it; without a price it is refused.'}
        </Text>
        <RatesFields
          names={names}
          rates={draft.units}
          onChange={(units) => onChange({ ...draft, units })}
          problems={problems}
          path="pricing.tokens.units"
        />
      </Stack>
    </Fieldset>
  );
}

function TokenPrices({ draft, onChange, problems }: PricesFieldsProps) {
  const { tokens, tiers, longContext } = draft;
  const changeTier = (id: string, change: Partial<(typeof tiers)[number]>) =>
    onChange({ ...draft, tiers: tiers.map((tier) => (tier.id === id ? { ...tier, ...change } : tier)) });
  return (
    <Fieldset legend="Tokens">
      <Stack>
        <Text size="sm" c="dimmed">
          USD per million tokens. Usage without a price is rejected.
        </Text>
        <RatesFields
          names={TOKEN_RATE_NAMES}
          rates={tokens}
          onChange={(rates) => onChange({ ...draft, tokens: rates })}
          problems={problems}
          path="pricing.tokens"
        />
        {tiers.map(({ id, name, rates }, index) => (
          <RatesFields
            key={id}
            legend={`Service tier ${name || index + 1}`}
            names={TOKEN_RATE_NAMES}
            rates={rates}
            onChange={(changed) => changeTier(id, { rates: changed })}
            problems={problems}
            path={`pricing.tokens.service_tiers.${name.trim()}`}
            onRemove={() => onChange({ ...draft, tiers: tiers.filter((tier) => tier.id !== id) })}
            first={
              <TextInput
                label="Name of the tier"
                placeholder="priority"
                value={name}
                onChange={(event) => changeTier(id, { name: event.currentTarget.value })}
                error={problems.get(`tier ${id}`)}
              />
            }
          />
        ))}
        {longContext && (
          <RatesFields
            legend="Long context"
            names={TOKEN_RATE_NAMES}
            rates={longContext.rates}
            onChange={(rates) => onChange({ ...draft, longContext: { ...longContext, rates } })}
            problems={problems}
            path="pricing.tokens.long_context"
            onRemove={() => onChange({ ...draft, longContext: null })}
            first={
              <TextInput
                label="Above (tokens)"
                placeholder="200,000"
                inputMode="numeric"
                value={longContext.above}
                onChange={(event) =>
                  onChange({ ...draft, longContext: { ...longContext, above: event.currentTarget.value } })
                }
                error={problemsAt(problems, 'pricing.tokens.long_context.above_tokens')}
              />
            }
          />
        )}
        <Button.Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => onChange({ ...draft, tiers: [...tiers, newTier()] })}
          >
            Service tier
          </Button>
          {!longContext && (
            <Button
              variant="default"
              size="xs"
              leftSection={<Plus size={14} aria-hidden />}
              onClick={() => onChange({ ...draft, longContext: { above: '', rates: {} } })}
            >
              Long context
            </Button>
          )}
        </Button.Group>
      </Stack>
    </Fieldset>
  );
}
