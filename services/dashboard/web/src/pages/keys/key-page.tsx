import { Alert, Anchor, Button, Grid, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Pencil, TriangleAlert } from 'lucide-react';
import { Link, useParams } from 'react-router';
import { ApiError } from '../../api/api-error';
import { type ApiKey, getKey } from '../../api/keys';
import { useMay } from '../../api/use-me';
import { EmptyState } from '../../ui/empty-state';
import { ErrorState } from '../../ui/error-state';
import { PageHeader } from '../../ui/page-header';
import { Time } from '../../ui/time';
import { EditKeyDialog } from './edit-key-dialog';
import { KeyActions } from './key-actions';
import { KeyDetails } from './key-details';
import { KeyRequests } from './key-requests';
import { KeyUseCard } from './key-use-card';

const HEIGHT_PX = 410;

export function KeyPage() {
  const { id = '' } = useParams();
  const key = useQuery({ queryKey: ['keys', 'one', id], queryFn: () => getKey(id) });
  if (key.data) return <Key apiKey={key.data} />;
  if (key.error instanceof ApiError && key.error.code === 'not_found') return <NoKey id={id} />;
  return (
    <>
      <PageHeader title="Key" description={<BackLink />} />
      {key.error ? (
        <ErrorState error={key.error} onRetry={() => void key.refetch()} />
      ) : (
        <Grid gap="md" role="status" aria-label="Loading">
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Skeleton height={HEIGHT_PX} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Skeleton height={HEIGHT_PX} />
          </Grid.Col>
        </Grid>
      )}
    </>
  );
}

function Key({ apiKey }: { apiKey: ApiKey }) {
  const mayChange = useMay('member');
  const [isEditing, editing] = useDisclosure();
  const edit = mayChange && apiKey.status !== 'revoked' && (
    <Button leftSection={<Pencil size={16} aria-hidden />} onClick={editing.open}>
      Edit key
    </Button>
  );
  return (
    <>
      <PageHeader title={apiKey.name} description={<BackLink />} actions={edit} />
      <Stack>
        {apiKey.status === 'revoked' && (
          <Alert color="red" title="This key has been revoked" icon={<TriangleAlert size={18} aria-hidden />}>
            {apiKey.revoked_at && (
              <Text size="sm" mb="xs" style={{ overflowWrap: 'anywhere' }}>
                <Time at={apiKey.revoked_at} />
                {apiKey.revoke_reason && ` – ${apiKey.revoke_reason}`}
              </Text>
            )}
            Requests with this key are rejected. Create another key, then delete this one.
          </Alert>
        )}
        <Grid gap="md">
          <Grid.Col span={{ base: 12, md: 7 }}>
            <KeyUseCard apiKey={apiKey} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 5 }}>
            <KeyDetails apiKey={apiKey} />
          </Grid.Col>
        </Grid>
        <KeyRequests keyId={apiKey.id} />
        {mayChange && <KeyActions apiKey={apiKey} />}
      </Stack>
      <EditKeyDialog apiKey={apiKey} opened={isEditing} onClose={editing.close} />
    </>
  );
}

function BackLink() {
  return (
    <Anchor component={Link} to="/keys" inherit>
      All keys
    </Anchor>
  );
}

/** Requests of a deleted key are still listed. */
function NoKey({ id }: { id: string }) {
  return (
    <>
      <PageHeader title="Key" description={<BackLink />} />
      <EmptyState
        title="Key not found"
        icon={KeyRound}
        action={
          <Button
            component={Link}
            to={`/requests?key_id=${encodeURIComponent(id)}`}
            variant="default"
            size="xs"
          >
            View its requests
          </Button>
        }
      >
        It may have been deleted. Its requests are kept.
      </EmptyState>
    </>
  );
}
