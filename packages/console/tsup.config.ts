import { defineConfig, type Options } from 'tsup'
import { declarationsOf, shared } from '../../tsup.config.ts'
import { builtPage, pageModule } from './built-page.ts'

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number]

/** Puts the built page where its module is. */
export const withPage: EsbuildPlugin = {
  name: 'page-of-the-console',
  setup: ({ onLoad }) => {
    onLoad({ filter: pageModule }, async () => ({ contents: await builtPage(), loader: 'js' }))
  },
}

// The page is reached by the package's own `#page`; it is not public.
const page = { page: 'src/page/placeholder.ts' }

export default defineConfig([
  {
    ...shared,
    entry: { index: 'src/index.ts' },
    external: ['#page'],
    dts: {
      ...shared.dts,
      entry: { index: declarationsOf('src/index.ts'), page: declarationsOf(page.page) },
    },
    clean: ['!page.{js,cjs}'],
  },
  { ...shared, entry: page, esbuildPlugins: [withPage], dts: false, clean: false },
])
