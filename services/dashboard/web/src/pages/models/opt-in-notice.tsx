import { Alert, Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { type Model, optIn } from '../../api/models';
import { meQuery, useMay } from '../../api/use-me';
import { ErrorState } from '../../ui/error-state';

/** Keys can't call a preview model before the account's owner has opted in. */
export function OptInNotice({ model }: { model: Model }) {
  const isOwner = useMay('owner');
  const queryClient = useQueryClient();
  const consent = useMutation({
    mutationFn: () => optIn(model.slug),
    onSuccess: () => {
      notifications.show({ message: `Your keys can call ${model.name} now.` });
      return Promise.all([
        queryClient.invalidateQueries({ queryKey: ['models'] }),
        queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
      ]);
    },
  });
  if (model.opted_in || consent.data) {
    return (
      <Alert
        color="teal"
        title="Preview, and your account has opted in"
        icon={<FlaskConical size={18} aria-hidden />}
      >
        <Text size="sm">Your keys can use it. It may change or be removed without notice.</Text>
      </Alert>
    );
  }
  return (
    <Alert color="orange" title="This is a preview" icon={<FlaskConical size={18} aria-hidden />}>
      <Text size="sm">
        It may change or be removed without notice. Your keys can use it once your account has opted in.
        Opting in can’t be undone.
      </Text>
      {isOwner ? (
        <Button
          size="xs"
          variant="default"
          mt="xs"
          loading={consent.isPending}
          onClick={() => consent.mutate()}
        >
          Opt in for this account
        </Button>
      ) : (
        <Text size="sm" mt={4}>
          Owners of your account can opt in.
        </Text>
      )}
      {consent.error && <ErrorState error={consent.error} title="Not opted in" />}
    </Alert>
  );
}
