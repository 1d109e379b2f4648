import type { Page } from '../page.ts'

/** What stands in for the page where it has not been built. */
export const page: Page = {
  'index.html': {
    type: 'text/html; charset=utf-8',
    body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Sluice</title></head>
<body><h1>The page is not built</h1><p>Run <code>npx -y pnpm --filter @sluice/console build</code>, and start again.</p></body>
</html>
`,
  },
}
