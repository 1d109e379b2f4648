// `pnpm site` copies this file to docs/.site/.vitepress: its paths are those of the copy.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { anchorOf } from '../../../scripts/site/anchors.ts'
import { searchOptions } from '../../../scripts/site/search.ts'

// Read where the site is put together: by `pnpm site`, which makes these files.
const read = name => JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8'))
const stage = fileURLToPath(new URL('..', import.meta.url))
const sections = read('sections')
const { searchOptions: ranking, ...fields } = searchOptions

export default defineConfig({
  title: 'Sluice',
  description:
    'LLM gateway as a library: OpenAI- and Anthropic-compatible endpoints inside your Express, Koa, Fastify, Hono or Next.js app',
  cleanUrls: true,
  // The reference has a search of its own: VitePress has one for each locale. Without labels there is no menu of languages.
  locales: { root: { lang: 'en' }, reference: { lang: 'en', link: '/reference/' } },
  // The pages as they are, for those who read no HTML, are no pages of the site.
  srcExclude: ['public/**'],
  // A page that links to what is not there does not build.
  ignoreDeadLinks: false,
  markdown: { html: false, anchor: { slugify: anchorOf } },
  themeConfig: {
    logoLink: '/',
    i18nRouting: false,
    nav: [
      { text: 'Guide', link: '/' },
      { text: 'Comparison', link: '/comparison' },
      { text: 'API reference', link: '/reference/' },
      { text: 'Changelog', link: '/changelog' },
      { text: 'For language models', link: '/llms.txt', target: '_blank' },
    ],
    sidebar: { '/': read('sidebar'), '/reference/': read('modules') },
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          options: fields,
          searchOptions: ranking,
          // Pages of the reference have none here: VitePress makes those of their HTML.
          _splitIntoSections: path => sections[relative(stage, path).replaceAll('\\', '/')],
        },
      },
    },
  },
})
