import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { loginToken } from './api/login-token';
import { clearWithUser, createQueryClient } from './app/query-client';
import { reloadWhenOutdated } from './app/reload-when-outdated';
import { AppRoutes, preloadFirstPage } from './app/routes';
import { cssVariables, theme } from './app/theme';

// The same key as in color-scheme.js.
const colorSchemeManager = localStorageColorSchemeManager({ key: 'gateway-color-scheme' });

const queryClient = createQueryClient();

clearWithUser(queryClient, loginToken);
reloadWhenOutdated();
preloadFirstPage();
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
    >
      <Notifications position="bottom-right" />
      <QueryClientProvider client={queryClient}>
        <BrowserRouter>
          <AppRoutes />
        </BrowserRouter>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
