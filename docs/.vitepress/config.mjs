import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'

// Read where the site is put together: by `pnpm site`, which makes both files.
const sidebar = JSON.parse(readFileSync(new URL('./sidebar.json', import.meta.url), 'utf8'))

export default defineConfig({
  title: 'Sluice',
  description: 'The library that turns a TypeScript server into a chat-completions service',
  lang: 'en',
  cleanUrls: true,
  // The pages as they are, for those who read no HTML, are no pages of the site.
  srcExclude: ['public/**'],
  // A page that links to what is not there does not build.
  ignoreDeadLinks: false,
  markdown: { html: false },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/' },
      { text: 'Reference', link: '/reference/' },
      { text: 'For language models', link: '/llms.txt', target: '_blank' },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
  },
})
