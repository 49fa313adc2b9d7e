import { Button, Fieldset, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { Plus } from 'lucide-react';
import { type Problems, problemsAt } from '../models/problems';
import { RemoveRow } from '../models/remove-row';
import { PriceInput } from './price-input';
import { newSecondPrice, type PricesDraft } from './prices-draft';

interface VideoPricesProps {
  draft: PricesDraft;
  onChange: (draft: PricesDraft) => void;
  problems: Problems;
}

/** By tier. */
export function VideoPrices({ draft, onChange, problems }: VideoPricesProps) {
  const { seconds, defaultTier } = draft;
  const change = (id: string, field: Partial<(typeof seconds)[number]>) =>
    onChange({ ...draft, seconds: seconds.map((one) => (one.id === id ? { ...one, ...field } : one)) });
  const tiers = [...new Set(seconds.map(({ tier }) => tier.trim()).filter(Boolean))];
  return (
    <Fieldset legend="Video">
      <Stack>
        <Text size="sm" c="dimmed">
          USD per second of video, by tier.
        </Text>
        {seconds.map(({ id, tier, price }, index) => (
          <RemoveRow
            key={id}
            label={`Remove tier ${index + 1}`}
            onRemove={() => onChange({ ...draft, seconds: seconds.filter((one) => one.id !== id) })}
          >
            <SimpleGrid cols={2} spacing="sm">
              <TextInput
                label="Tier"
                placeholder="720p"
                value={tier}
                onChange={(event) => change(id, { tier: event.currentTarget.value })}
                error={problems.get(`second ${id}`)}
              />
              <PriceInput
                label="Price per second"
                value={price}
                onChange={(text) => change(id, { price: text })}
                error={problemsAt(problems, `pricing.video.per_second.${tier.trim()}`)}
              />
            </SimpleGrid>
          </RemoveRow>
        ))}
        <div>
          <Button
            variant="default"
            size="xs"
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => onChange({ ...draft, seconds: [...seconds, newSecondPrice()] })}
          >
            Tier
          </Button>
        </div>
        <Select
          label="Default tier"
          description="For requests without a tier; without a default they are rejected"
          placeholder="None"
          data={tiers}
          value={tiers.includes(defaultTier) ? defaultTier : null}
          onChange={(value) => onChange({ ...draft, defaultTier: value ?? '' })}
          clearable
          maw={320}
          error={problemsAt(problems, 'pricing.video.default_tier')}
        />
      </Stack>
    </Fieldset>
  );
}
