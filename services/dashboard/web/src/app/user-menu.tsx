import { Badge, Box, Button, Menu, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ChevronDown, LogOut, UserRound } from 'lucide-react';
import { Link } from 'react-router';
import { logOut } from '../api/auth';
import { useMe } from '../api/use-me';

export function UserMenu() {
  const { user, role, operator } = useMe();
  const leaving = useMutation({ mutationFn: logOut });
  return (
    <Menu position="bottom-end" withArrow width={240}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          px={8}
          maw={200}
          aria-label={`${user.name}: user menu`}
          rightSection={<ChevronDown size={14} aria-hidden />}
        >
          <Text span inherit truncate visibleFrom="sm">
            {user.name}
          </Text>
          <Box component="span" hiddenFrom="sm" lh={0}>
            <UserRound size={18} aria-hidden />
          </Box>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" truncate>
            {user.email}
          </Text>
          <Badge size="xs" variant="default" mt={4}>
            {operator ? `${role}, operator` : role}
          </Badge>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<UserRound size={16} aria-hidden />}>
          Profile
        </Menu.Item>
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} onClick={() => leaving.mutate()}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
