import { Anchor, Button, Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { MessagesSquare } from 'lucide-react';
import { Link, useParams } from 'react-router';
import { ApiError } from '../../api/api-error';
import { getModel, type Model } from '../../api/models';
import { useMay } from '../../api/use-me';
import { CopyButton } from '../../ui/copy-button';
import { EmptyState } from '../../ui/empty-state';
import { ErrorState } from '../../ui/error-state';
import { PageHeader } from '../../ui/page-header';
import { KindBadges, StateBadges } from './model-badges';
import { ModelFacts } from './model-facts';
import { kindsOf } from './model-kinds';
import { ModelNotices } from './model-notices';
import { PriceTables } from './price-tables';
import { TryIt } from './try-it';

export function ModelPage() {
  const { '*': slug = '' } = useParams();
  const model = useQuery({ queryKey: ['models', 'one', slug], queryFn: () => getModel(slug) });
  return (
    <>
      <Anchor component={Link} to="/models" size="sm">
        All models
      </Anchor>
      {model.data ? (
        <Content model={model.data} />
      ) : (
        <>
          <PageHeader title={slug} />
          {model.error ? <Failure error={model.error} onRetry={() => void model.refetch()} /> : <Loading />}
        </>
      )}
    </>
  );
}

function Content({ model }: { model: Model }) {
  const mayUsePlayground = useMay('member');
  const [kind] = model.image ? ['image'] : kindsOf(model);
  const playground = `/playground/${kind === 'chat' ? 'chat' : `${kind}s`}?model=${encodeURIComponent(model.slug)}`;
  return (
    <>
      <PageHeader
        title={model.name}
        description={
          <Group component="span" gap={6}>
            <Text span ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }}>
              {model.slug}
            </Text>
            <CopyButton value={model.slug} label="Copy slug" />
            <KindBadges model={model} />
            <StateBadges model={model} />
          </Group>
        }
        actions={
          mayUsePlayground && ['chat', 'image', 'video'].includes(kind ?? '') && model.status === 'active' ? (
            <Button
              component={Link}
              to={playground}
              variant="default"
              leftSection={<MessagesSquare size={16} aria-hidden />}
            >
              Open in playground
            </Button>
          ) : undefined
        }
      />
      <Stack>
        <ModelNotices model={model} />
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Paper withBorder p="md">
            <Title order={2} size="h5" mb="xs">
              Prices
            </Title>
            {model.pricing ? (
              <PriceTables pricing={model.pricing} />
            ) : (
              <Text size="sm" c="dimmed">
                No price yet: this model can’t be used.
              </Text>
            )}
          </Paper>
          <Paper withBorder p="md">
            <Title order={2} size="h5" mb="xs">
              About
            </Title>
            <ModelFacts model={model} />
          </Paper>
        </SimpleGrid>
        {model.status === 'active' && <TryIt model={model} />}
      </Stack>
    </>
  );
}

function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const isUnknown = error instanceof ApiError && error.code === 'model_not_found';
  if (!isUnknown) return <ErrorState error={error} title="Could not load the model" onRetry={onRetry} />;
  return (
    <EmptyState
      title="Model not found"
      action={
        <Button component={Link} to="/models" variant="default" size="xs">
          See all models
        </Button>
      }
    >
      The catalog has no model with this name.
    </EmptyState>
  );
}

function Loading() {
  return (
    <Stack aria-busy="true" aria-label="Loading">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Skeleton height={300} />
        <Skeleton height={300} />
      </SimpleGrid>
      <Skeleton height={380} />
    </Stack>
  );
}
