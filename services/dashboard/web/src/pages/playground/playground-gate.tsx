import { Alert, Anchor, Box, Button, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { Boxes, KeyRound, TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import type { ApiKey } from '../../api/keys';
import { type Model, modelPath, type PlaygroundType } from '../../api/models';
import { EmptyState } from '../../ui/empty-state';
import { ErrorState } from '../../ui/error-state';
import type { Problem } from './choose-key-and-model';
import { Pickers } from './pickers';
import { type Choices, useChoices } from './use-choices';

export type Ready = Choices & { readonly key: ApiKey; readonly model: Model };

interface PlaygroundGateProps {
  type: PlaygroundType;
  children: (ready: Ready) => ReactNode;
}

/**
 * Renders its children once there are a key and a model to use; before, what is missing. If they disappear, the
 * children stay mounted until there are others.
 */
export function PlaygroundGate({ type, children }: PlaygroundGateProps) {
  const choices = useChoices(type);
  const { key, model } = choices;
  const isReady = key !== undefined && model !== undefined;
  const [last, setLast] = useState<{ key: ApiKey; model: Model }>();
  if (isReady && (last?.key !== key || last.model !== model)) setLast({ key, model });
  const visible = isReady ? { key, model } : last;
  return (
    <>
      {!isReady && <Missing type={type} choices={choices} />}
      {visible && <Box display={isReady ? undefined : 'none'}>{children({ ...choices, ...visible })}</Box>}
    </>
  );
}

function Missing({ type, choices }: { type: PlaygroundType; choices: Choices }) {
  const { key, keys, problem, isPending, error, reload } = choices;
  if (error && keys.length === 0) return <ErrorState error={error} onRetry={reload} />;
  if (isPending) {
    return (
      <Stack aria-busy="true" aria-label="Loading">
        <Skeleton height={84} />
        <Skeleton height={320} />
      </Stack>
    );
  }
  if (problem) return <ChooseAnew problem={problem} choices={choices} />;
  return key ? <NoModel type={type} apiKey={key} /> : <NoKey />;
}

/** The selection is never substituted: another key or model would have other costs and limits. */
function ChooseAnew({ problem, choices }: { problem: Problem; choices: Choices }) {
  return (
    <Stack>
      <Alert color="orange" title={problem.title} icon={<TriangleAlert size={18} aria-hidden />}>
        <Text size="sm">{problem.todo}</Text>
        {problem.slug !== undefined && (
          <Anchor
            component={Link}
            to={`/models/${modelPath(problem.slug)}`}
            size="sm"
            underline="always"
            c="inherit"
          >
            View model
          </Anchor>
        )}
      </Alert>
      <Paper withBorder p="md">
        <Pickers choices={choices} />
      </Paper>
    </Stack>
  );
}

function NoKey() {
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
      The playground uses one of your keys. You have no active keys.
    </EmptyState>
  );
}

function NoModel({ type, apiKey }: { type: PlaygroundType; apiKey: ApiKey }) {
  return (
    <EmptyState
      title={`No ${type} model available`}
      icon={Boxes}
      action={
        <Button component={Link} to={`/keys/${apiKey.id}`} variant="default" size="xs">
          View the models of the key
        </Button>
      }
    >
      The key “{apiKey.name}” doesn’t allow any available {type} model.
    </EmptyState>
  );
}
