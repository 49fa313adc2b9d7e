import { Alert, Anchor, Text } from '@mantine/core';
import { CircleSlash } from 'lucide-react';
import { Link } from 'react-router';
import { type Model, modelPath } from '../../api/models';
import { OptInNotice } from './opt-in-notice';

/** Why a model can't be called, and what to do. */
export function ModelNotices({ model }: { model: Model }) {
  if (model.status === 'delisted') return <Delisted successor={model.successor} />;
  if (model.status === 'disabled') {
    return (
      <Alert color="red" title="This model is disabled" icon={<CircleSlash size={18} aria-hidden />}>
        <Text size="sm">Requests are rejected until the operator enables it again.</Text>
      </Alert>
    );
  }
  return model.preview ? <OptInNotice model={model} /> : null;
}

function Delisted({ successor }: { successor: string | null }) {
  return (
    <Alert color="red" title="This model is no longer offered" icon={<CircleSlash size={18} aria-hidden />}>
      <Text size="sm">
        {successor ? (
          <>
            Use{' '}
            <Anchor
              component={Link}
              to={`/models/${modelPath(successor)}`}
              underline="always"
              c="inherit"
              fw={600}
              inherit
            >
              {successor}
            </Anchor>{' '}
            instead. Update your requests and the allowed models of your keys.
          </>
        ) : (
          <>
            Requests are rejected.{' '}
            <Anchor component={Link} to="/models" underline="always" c="inherit" inherit>
              Choose another model
            </Anchor>
            .
          </>
        )}
      </Text>
    </Alert>
  );
}
