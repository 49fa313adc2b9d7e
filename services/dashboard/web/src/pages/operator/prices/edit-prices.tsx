import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type AdminModel, getAdminModel, type PricesInput, setPrices } from '../../../api/admin-models';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { FormProblems } from '../models/form-problems';
import { NO_PROBLEMS, type Problems, problemsOf } from '../models/problems';
import { isOutdated } from './is-outdated';
import { OutdatedPrices } from './outdated-prices';
import { priceChanges } from './price-changes';
import { PriceChangesList } from './price-changes-list';
import { toPrices } from './prices-draft';
import { PricesFields } from './prices-fields';
import { usePricesDraft } from './use-prices-draft';

/** Form of the current prices; saving creates a new version. */
export function EditPrices({ model }: { model: AdminModel }) {
  const { slug, pricing } = model;
  const { draft, version, type, clear } = usePricesDraft(pricing);
  const [found, setFound] = useState<Problems>(NO_PROBLEMS);
  const [requested, setRequested] = useState<PricesInput>();
  const [asks, question] = useDisclosure();
  const saving = useSaving(slug, version, clear);
  const loading = useLoading(slug, () => {
    clear();
    setFound(NO_PROBLEMS);
    saving.reset();
  });
  const outdated = isOutdated(saving.error) || version !== pricing?.version;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { prices, problems } = toPrices(draft);
    saving.reset();
    setFound(problems);
    if (problems.size > 0) return;
    // The confirmation concerns a change of this version, even if a newer version arrives while it is open.
    type(draft);
    setRequested(prices);
    question.open();
  };
  const error = isOutdated(saving.error) ? loading.error : (saving.error ?? loading.error);
  const problems = found.size > 0 ? found : problemsOf(error, 'pricing');
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {pricing && (
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            Version {pricing.version}, as of {pricing.source_date}. Source: <Source source={pricing.source} />
          </Text>
        )}
        <PricesFields draft={draft} onChange={type} problems={problems} outputs={model.output_modalities} />
        <FormProblems title="Prices not changed" problems={problems} error={error} />
        {outdated && (
          <OutdatedPrices
            begun={version}
            current={pricing?.version}
            refused={isOutdated(saving.error)}
            onLoad={() => loading.mutate()}
            loading={loading.isPending}
          />
        )}
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={outdated}>
            Review new prices
          </Button>
        </Group>
      </Stack>
      {requested && (
        <ConfirmDialog
          opened={asks}
          onClose={question.close}
          title={`New prices of ${model.name}?`}
          confirm="Set prices"
          action={() => saving.mutateAsync(requested).catch(() => question.close())}
        >
          <PriceChangesList changes={priceChanges(pricing, requested)} />
        </ConfirmDialog>
      )}
    </form>
  );
}

/** @param version on which the draft is based; the page's may be newer */
function useSaving(slug: string, version: number | undefined, onSaved: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (prices: PricesInput) => setPrices(slug, prices, version),
    onSuccess: (changed) => {
      queryClient.setQueryData(['admin', 'model', slug], changed);
      void queryClient.invalidateQueries({ queryKey: ['admin', 'models'] });
      void queryClient.invalidateQueries({ queryKey: ['models'] });
      onSaved();
      notifications.show({
        message: `Prices of ${changed.name} set (version ${changed.pricing?.version}).`,
      });
    },
    onError: (error) => {
      if (isOutdated(error)) void queryClient.invalidateQueries({ queryKey: ['admin', 'model', slug] });
    },
  });
}

function useLoading(slug: string, onLoaded: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => getAdminModel(slug),
    onSuccess: (model) => {
      queryClient.setQueryData(['admin', 'model', slug], model);
      onLoaded();
    },
  });
}

/** Scrolls to the notice, if it is out of sight. */
function Source({ source }: { source: string }) {
  if (!/^https:\/\/\S+$/.test(source)) return source;
  return (
    <Anchor href={source} target="_blank" rel="noreferrer" inherit>
      {source}
    </Anchor>
  );
}
