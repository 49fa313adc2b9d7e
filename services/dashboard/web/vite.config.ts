import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  build: {
    // Nothing inline: the content security policy allows only files of our own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    reportCompressedSize: false,
    // What may be large is measured compressed, by the browser's tests.
    chunkSizeWarningLimit: 1_000,
  },
});
