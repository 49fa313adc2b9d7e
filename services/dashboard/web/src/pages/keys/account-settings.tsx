import { Skeleton, Switch, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getSettings, type AccountSettings as Settings, updateSettings } from '../../api/settings';
import { useMay } from '../../api/use-me';
import { ErrorState } from '../../ui/error-state';
import { Section } from '../../ui/section';

const QUERY_KEY = ['account', 'settings'];
const HEIGHT_PX = 44;

/** Default for keys without their own setting; owners can change it. */
export function AccountSettings() {
  const settings = useQuery({ queryKey: QUERY_KEY, queryFn: getSettings });
  const mayChange = useMay('owner');
  return (
    <Section title="Account settings" description="Defaults for keys without their own setting">
      {settings.data ? (
        mayChange ? (
          <BareNamesSwitch settings={settings.data} />
        ) : (
          <Text size="sm">
            Model names without a provider, such as gpt-4o or sonnet, are{' '}
            {settings.data.bare_model_names ? 'allowed' : 'rejected'}. Owners can change this.
          </Text>
        )
      ) : settings.error ? (
        <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
      ) : (
        <Skeleton height={HEIGHT_PX} />
      )}
    </Section>
  );
}

function BareNamesSwitch({ settings }: { settings: Settings }) {
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: updateSettings,
    onSuccess: (changed) => {
      queryClient.setQueryData(QUERY_KEY, changed);
      const state = changed.bare_model_names ? 'allowed' : 'rejected';
      notifications.show({ message: `Model names without a provider are ${state} from the next request.` });
    },
  });
  return (
    <>
      <Switch
        label="Allow model names without a provider"
        description="Requests can use gpt-4o or sonnet instead of openai/gpt-4o or anthropic/claude-sonnet-5"
        checked={settings.bare_model_names}
        disabled={change.isPending}
        onChange={(event) => change.mutate({ bare_model_names: event.currentTarget.checked })}
      />
      {change.error && <ErrorState error={change.error} title="Setting not saved" />}
    </>
  );
}
