import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defaultClientConditions, defineConfig } from 'vite'

const folder = dirname(fileURLToPath(import.meta.url))

/** The page of the console. It is served below a mount that nobody knows here: all its addresses are relative. */
export default defineConfig({
  root: join(folder, 'ui'),
  base: './',
  resolve: { conditions: ['@sluice/source', ...defaultClientConditions] },
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    // It goes into a module of the package, not to files.
    write: false,
    // A policy that forbids `data:` has to let it through.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { output: { entryFileNames: 'assets/[name]-[hash].js' } },
  },
})
