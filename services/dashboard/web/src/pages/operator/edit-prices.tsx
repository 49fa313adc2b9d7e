import { Anchor, Button, Group, List, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type AdminModel, type PricesInput, setPrices } from '../../api/admin-models';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { formatMoneyExact } from '../../ui/format-money';
import { FormProblems } from './form-problems';
import { type PriceChange, priceChanges } from './price-changes';
import { fromPricing, toPrices } from './prices-draft';
import { PricesFields } from './prices-fields';
import { NO_PROBLEMS, type Problems, problemsOf } from './problems';

/** The current prices as a form, which makes a new version of them. */
export function EditPrices({ model }: { model: AdminModel }) {
  const { slug, pricing } = model;
  const [draft, setDraft] = useState(() => ({ ...fromPricing(pricing), source: '', sourceDate: today() }));
  const [found, setFound] = useState<Problems>(NO_PROBLEMS);
  const [wanted, setWanted] = useState<PricesInput>();
  const [asks, question] = useDisclosure();
  const queryClient = useQueryClient();
  const saving = useMutation({
    mutationFn: (prices: PricesInput) => setPrices(slug, prices),
    onSuccess: (changed) => {
      queryClient.setQueryData(['admin', 'model', slug], changed);
      void queryClient.invalidateQueries({ queryKey: ['admin', 'models'] });
      void queryClient.invalidateQueries({ queryKey: ['models'] });
      setDraft({ ...fromPricing(changed.pricing), source: '', sourceDate: today() });
      notifications.show({
        message: `${changed.name} has version ${changed.pricing?.version} of its prices.`,
      });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { prices, problems } = toPrices(draft);
    saving.reset();
    setFound(problems);
    if (problems.size > 0) return;
    setWanted(prices);
    question.open();
  };
  const problems = found.size > 0 ? found : problemsOf(saving.error, 'pricing');
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {pricing && (
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            Version {pricing.version}, of {pricing.source_date}: <Source source={pricing.source} />
          </Text>
        )}
        <PricesFields
          draft={draft}
          onChange={setDraft}
          problems={problems}
          outputs={model.output_modalities}
        />
        <FormProblems title="The prices are as they were" problems={problems} error={saving.error} />
        <Group>
          <Button type="submit" loading={saving.isPending}>
            Review new prices
          </Button>
        </Group>
      </Stack>
      {wanted && (
        <ConfirmDialog
          opened={asks}
          onClose={question.close}
          title={`New prices of ${model.name}?`}
          confirm="Set prices"
          action={() => saving.mutateAsync(wanted).catch(() => question.close())}
        >
          <Changes changes={priceChanges(pricing, wanted)} />
        </ConfirmDialog>
      )}
    </form>
  );
}

/** To be looked at again, where it can be. */
function Source({ source }: { source: string }) {
  if (!/^https:\/\/\S+$/.test(source)) return source;
  return (
    <Anchor href={source} target="_blank" rel="noreferrer" inherit>
      {source}
    </Anchor>
  );
}

function Changes({ changes }: { changes: readonly PriceChange[] }) {
  if (changes.length === 0) {
    return <Text size="sm">All prices stay as they are; only their source and date are noted anew.</Text>;
  }
  return (
    <Stack gap="xs">
      <List size="sm">
        {changes.map(({ what, before, after }) => (
          <List.Item key={what}>
            {what}: {money(before)} → <strong>{money(after)}</strong>
          </List.Item>
        ))}
      </List>
      <Text size="sm" c="dimmed">
        Calls under way keep the prices that they began with.
      </Text>
    </Stack>
  );
}

const money = (usd: number | undefined): string => (usd === undefined ? 'not sold' : formatMoneyExact(usd));
/** The day on which an operator reads a price, in UTC as all days of the gateway. */
const today = (): string => new Date().toISOString().slice(0, 10);
