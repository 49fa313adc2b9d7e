import { Stack, Tabs } from '@mantine/core';
import { Lock } from 'lucide-react';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { useMay } from '../../api/use-me';
import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';
import { ChatPanel } from './chat-panel';
import { ImagesPanel } from './images-panel';
import { PlaygroundGate } from './playground-gate';
import { VideosPanel } from './videos-panel';

const KINDS = { chat: 'Chat', images: 'Images', videos: 'Videos' } as const;
type Kind = keyof typeof KINDS;

/** Sends requests as an API client would, with one of the account's keys. */
export function PlaygroundPage() {
  const { '*': path = '' } = useParams();
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const mayUsePlayground = useMay('member');
  const kind: Kind = path in KINDS ? (path as Kind) : 'chat';
  const open = (next: string | null) => {
    const key = params.get('key_id');
    navigate(`/playground/${next}${key ? `?key_id=${encodeURIComponent(key)}` : ''}`);
  };
  return (
    <>
      <PageHeader
        title="Playground"
        description="Playground requests are billed like API requests, count against the key’s limits and appear in the request log."
      />
      {mayUsePlayground ? (
        <Tabs value={kind} onChange={open} keepMounted={false}>
          <Tabs.List mb="md">
            {Object.entries(KINDS).map(([value, label]) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="chat">
            <PlaygroundGate type="chat">{(ready) => <ChatPanel ready={ready} />}</PlaygroundGate>
          </Tabs.Panel>
          <Tabs.Panel value="images">
            <PlaygroundGate type="image">{(ready) => <ImagesPanel ready={ready} />}</PlaygroundGate>
          </Tabs.Panel>
          <Tabs.Panel value="videos">
            <PlaygroundGate type="video">{(ready) => <VideosPanel ready={ready} />}</PlaygroundGate>
          </Tabs.Panel>
        </Tabs>
      ) : (
        <Stack>
          <EmptyState title="Only members can use the playground" icon={Lock}>
            Your role is read-only. Ask an owner to make you a member.
          </EmptyState>
        </Stack>
      )}
    </>
  );
}
