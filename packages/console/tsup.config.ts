import { defineConfig, type Options } from 'tsup'
import { shared } from '../../tsup.config.ts'
import { builtPage, pageModule } from './built-page.ts'

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number]

const withPage: EsbuildPlugin = {
  name: 'page-of-the-console',
  setup: ({ onLoad }) => {
    onLoad({ filter: pageModule }, async () => ({ contents: await builtPage(), loader: 'js' }))
  },
}

export default defineConfig({
  ...shared,
  // The page is reached by the package's own `#page`; it is not public.
  entry: { index: 'src/index.ts', page: 'src/page/unbuilt.ts' },
  external: ['#page'],
  esbuildPlugins: [withPage],
})
