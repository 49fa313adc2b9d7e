import { Button, Skeleton, Stack } from '@mantine/core';
import { Boxes, KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { ApiKey } from '../../api/keys';
import type { Model, ModelType } from '../../api/models';
import { EmptyState } from '../../ui/empty-state';
import { ErrorState } from '../../ui/error-state';
import { type Choices, useChoices } from './use-choices';

export type Ready = Choices & { readonly key: ApiKey; readonly model: Model };

interface ReadyToPlayProps {
  type: ModelType;
  children: (ready: Ready) => ReactNode;
}

/** Draws what is inside once there are a key and a model to call with; until then what is missing. */
export function ReadyToPlay({ type, children }: ReadyToPlayProps) {
  const choices = useChoices(type);
  const { key, model, keys, isPending, error, reload } = choices;
  if (error && keys.length === 0) return <ErrorState error={error} onRetry={reload} />;
  if (isPending) {
    return (
      <Stack aria-busy="true" aria-label="Loading">
        <Skeleton height={84} />
        <Skeleton height={320} />
      </Stack>
    );
  }
  if (!key) {
    return (
      <EmptyState
        title="You need a key first"
        icon={KeyRound}
        action={
          <Button component={Link} to="/keys" size="xs">
            Create a key
          </Button>
        }
      >
        The playground calls models with one of your keys, as a program would. There is none that is enabled
        and has not expired.
      </EmptyState>
    );
  }
  if (!model) {
    return (
      <EmptyState
        title={`No ${type} model to call`}
        icon={Boxes}
        action={
          <Button component={Link} to={`/keys/${key.id}`} variant="default" size="xs">
            See what the key allows
          </Button>
        }
      >
        The catalog has none that can be called with the key “{key.name}”.
      </EmptyState>
    );
  }
  return children({ ...choices, key, model });
}
