import type { Browser, Page } from 'playwright-core'
import type { ConsoleService } from './service.ts'

/** How the console is opened. */
export interface Opening {
  /** Default: the page, with the admin key. */
  readonly address?: string
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
  readonly reducedMotion?: 'reduce' | 'no-preference'
}

/** The one tab that the tests use in turn: a tab of its own for each takes seconds. */
export interface ConsoleTab {
  /** Opens the console as if for the first time. */
  open(opening?: Opening): Promise<Page>
  /** What no page should have, since this was called last: errors, violations of its policy, requests to others. */
  problems(): readonly string[]
}

/** What Chromium says of each answer above 399: tests ask for these. */
const ofAnswer = /^Failed to load resource: the server responded with a status of/

/** Opens a tab. It waits for at most 15 seconds for anything. */
export async function consoleTab(
  browser: Browser,
  { page: signedIn, url }: ConsoleService,
): Promise<ConsoleTab> {
  const page = await browser.newPage()
  page.setDefaultTimeout(15_000)
  let problems: string[] = []
  page.on('console', message => {
    const text = message.text()
    if (['error', 'warning'].includes(message.type()) && !ofAnswer.test(text)) problems.push(text)
  })
  page.on('pageerror', error => problems.push(String(error)))
  page.on('dialog', dialog => {
    problems.push(`dialog: ${dialog.message()}`)
    dialog.dismiss().catch(() => {})
  })
  page.on('request', request => {
    if (new URL(request.url()).origin !== url) problems.push(`asked ${request.url()}`)
  })
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error(`violates ${violatedDirective}: ${blockedURI}`)
    })
  })
  await page.goto(`${url}/console/`)

  return {
    open: async ({ address, width = 1280, colorScheme = 'light', reducedMotion = 'no-preference' } = {}) => {
      await page.setViewportSize({ width, height: 850 })
      await page.emulateMedia({ colorScheme, reducedMotion })
      await page.evaluate(() => {
        sessionStorage.clear()
        localStorage.clear()
        // To differ by the fragment alone would not load the page.
        history.replaceState(null, '', '?')
      })
      await page.goto(address ?? signedIn)
      return page
    },
    problems: () => {
      const found = problems
      problems = []
      return found
    },
  }
}
