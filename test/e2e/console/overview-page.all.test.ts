import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { endOf } from '../../../packages/console/src/recent/fake-events.ts'
import { startChromium } from './site/chromium.ts'
import { describeWithChromium } from './site/describe-with-chromium.ts'
import { goTo } from './site/go-to.ts'
import { openBreaker } from './site/open-breaker.ts'
import { callerKey, startService } from './site/service.ts'

const run = promisify(execFile)

describeWithChromium('the overview', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  /** A service of its own, whose process started two hours ago: what it has in memory is the whole hour. */
  const ownService = async (options: Parameters<typeof startService>[0] = {}) => {
    let ahead = -7_200_000
    const service = await startService({ now: () => Date.now() + ahead, ...options })
    ahead = 0
    const page = await browser.newPage()
    page.setDefaultTimeout(15_000)
    const problems: string[] = []
    page.on('pageerror', error => problems.push(String(error)))
    onTestFinished(async () => {
      await page.close()
      await service.close()
      expect(problems).toEqual([])
    })
    return { service, page }
  }
  const totalOf = async (page: Page, name: string) =>
    page.locator('.overview-totals > div', { hasText: name }).locator('strong').first().textContent()

  it('opens first, with the sums of this process, its failures, budgets and targets', async () => {
    const { service, page } = await ownService()
    const { ask, keys } = service
    const limits = [{ kind: 'budget', limit: 20, per: 'day', currency: 'usd', unpriced: 'allow' }] as const
    const spender = await keys.issue({ name: 'Spender', limits })
    await keys.issue({ name: 'Not used yet', limits: [{ ...limits[0], limit: 5, per: 'week' }] })
    for (let left = 2; left > 0; left--) await ask('counted', { key: spender.key })
    await openBreaker(service)
    const failed = (await ask('demo', { key: 'sk-unknown' })).headers.get('x-request-id')!
    await page.goto(service.page)
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await page.getByText('All figures are from the memory of this process.').waitFor()
    await expect.poll(() => totalOf(page, 'Spend')).toBe('$0.066')
    await expect.poll(() => totalOf(page, 'Requests')).toBe('11')
    await expect.poll(() => totalOf(page, 'Errors')).toBe('9')
    expect(await page.locator('.percentiles').textContent()).toMatch(/p50.*p95.*p99/)
    const top = (name: string) => page.locator('.top tr', { hasText: name })
    await top('counted').getByText('$0.066').waitFor()
    expect(await top('counted').getByRole('link').getAttribute('href')).toBe('#/requests?model=counted')
    await top('Spender').getByText('2 requests').waitFor()
    const budget = page.locator('.budget', { hasText: 'Spender' })
    await budget.getByText('$0.066 of $20.00 today').waitFor()
    await budget.getByText('< 1 %').waitFor()
    await page.locator('.budget', { hasText: 'Not used yet' }).getByText('$0 of $5.00 this week').waitFor()
    await page.getByText(/of 11 are available/).waitFor()
    await page.locator('[data-state=open]', { hasText: 'south / broken' }).waitFor()
    await page.locator('.alert-lines').getByText('Target down').first().waitFor()
    await page.getByRole('link', { name: `Request ${failed}` }).click()
    await page.getByRole('region', { name: 'Request', exact: true }).getByText(failed).waitFor()
    expect(new URL(page.url()).hash).toBe(`#/requests/${failed}`)
  })

  it('has the period in its address, and the ledger and the request log where memory does not reach', async () => {
    const { service, page } = await ownService()
    await service.ask('counted')
    await service.ask('broken')
    await service.ask('counted', { key: 'sk-unknown' })
    await service.flushLog()
    await page.goto(service.page)
    await page.getByLabel('Period').selectOption('7 days')
    expect(new URL(page.url()).hash).toBe('#/overview?window=7d')
    await page.getByText(/Spend and requests are from the ledger/).waitFor()
    await page.getByText(/Errors and latency are from the request log/).waitFor()
    await expect.poll(() => totalOf(page, 'Spend')).toBe('$0.033')
    await expect.poll(() => totalOf(page, 'Requests')).toBe('2')
    await expect.poll(() => totalOf(page, 'Errors')).toBe('2')
    // The ledger has no rejected requests, and the log has.
    await page.getByText('66.7 % of 3').waitFor()
    await page.getByRole('link', { name: 'Request log', exact: true }).waitFor()
    expect(await page.locator('.top a', { hasText: 'counted' }).getAttribute('href')).toBe(
      '#/log?span=7d&model=counted',
    )
    await page.reload()
    expect(await page.getByLabel('Period').inputValue()).toBe('7d')
    await page.getByText(/Spend and requests are from the ledger/).waitFor()
    await page.goto(`${service.url}/console/#/overview?window=constructor`)
    await expect.poll(() => page.getByLabel('Period').inputValue()).toBe('1h')
  })

  it('says since when this process has figures, where nothing else has any', async () => {
    const { service, page } = await ownService({
      console: { usage: undefined, ownUsage: false, log: undefined, alerts: undefined },
    })
    await service.ask('counted')
    await page.goto(service.page)
    await page.getByLabel('Period').selectOption('24 hours')
    await page
      .getByText(/All figures are from the memory of this process, which has nothing before/)
      .waitFor()
    await expect.poll(() => totalOf(page, 'Requests')).toBe('1')
    expect(await page.getByRole('heading', { name: 'Alerts' }).count()).toBe(0)
  })

  it('says that the ledger fails, and shows the rest', async () => {
    const { service, page } = await ownService({
      console: { usage: () => Promise.reject(new Error('db.internal')) },
    })
    await service.ask('broken')
    await service.flushLog()
    await page.goto(service.page)
    await page.getByLabel('Period').selectOption('7 days')
    await page
      .getByRole('alert')
      .getByText(/Cannot load the ledger/)
      .waitFor()
    await page.locator('.failure', { hasText: 'broken' }).waitFor()
    await expect.poll(() => totalOf(page, 'Errors')).toBe('1')
    expect(await totalOf(page, 'Spend')).toBe('…')
    expect(await page.locator('main').textContent()).not.toContain('db.internal')
  })

  it('says that the request log fails, and shows the rest', async () => {
    const { service, page } = await ownService({
      console: {
        log: {
          search: () => Promise.reject(new Error('db.internal')),
          get: () => Promise.reject(new Error('db.internal')),
          export: () => {
            throw new Error('db.internal')
          },
        },
      },
    })
    await service.ask('counted')
    await page.goto(service.page)
    await page.getByLabel('Period').selectOption('24 hours')
    await page
      .getByRole('alert')
      .getByText(/Cannot load the request log/)
      .waitFor()
    await page.getByText('Not known: the request log does not respond.').waitFor()
    await expect.poll(() => totalOf(page, 'Spend')).toBe('$0.033')
    expect(await totalOf(page, 'Errors')).toBe('…')
  })

  it('has snippets that work as they are, where there are no requests yet', async () => {
    const { service, page } = await ownService()
    const folder = mkdtempSync(join(import.meta.dirname, 'snippet-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const env = { ...process.env, SLUICE_API_KEY: callerKey }
    await page.goto(service.page)
    const snippet = page.getByRole('region', { name: 'Snippet' })
    const curl = (await snippet.textContent())!
    expect(curl).not.toContain(callerKey)
    const { stdout } = await run('bash', ['-c', curl], { env })
    expect(JSON.parse(stdout).choices[0].message.content).toContain('Hello')
    // A request has come: the page has figures now.
    await page.locator('.overview-charts').waitFor()
    await goTo(page, 'Requests')
    await page.locator('tbody tr').first().waitFor()

    const fresh = await startService()
    onTestFinished(() => fresh.close())
    await page.goto(fresh.page)
    await goTo(page, 'Requests')
    await page.getByText('No requests yet').waitFor()
    await page.getByRole('tab', { name: 'OpenAI SDK' }).click()
    writeFileSync(join(folder, 'snippet.mjs'), (await snippet.textContent())!)
    const printed = await run(process.execPath, [join(folder, 'snippet.mjs')], { env })
    expect(printed.stdout).toContain('Hello')
    await page.locator('tbody tr').first().waitFor()
    // The chat and the keys have the same two.
    for (const view of ['Chat', 'Keys'] as const) {
      await goTo(page, view)
      expect(await snippet.textContent()).toBe(curl.replaceAll(service.url, fresh.url))
    }
  })

  it('says that another view cannot be loaded, as after an update, and offers to load the page again', async () => {
    const { service, page } = await ownService()
    await page.goto(service.page)
    await page.locator('.overview-totals').waitFor()
    await page.route('**/keys-view-*.js', route => route.fulfill({ status: 404 }))
    await page.getByRole('link', { name: 'Keys', exact: true }).click()
    await page
      .getByRole('alert')
      .getByText(/Could not load this part of the page/)
      .waitFor()
    await page.unroute('**/keys-view-*.js')
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
  })

  it('transfers at most 120 KB, compressed, until it is shown', async () => {
    const { service, page } = await ownService()
    await service.ask('demo')
    const sizes: Promise<readonly [string, number]>[] = []
    page.on('response', response => {
      const { pathname } = new URL(response.url())
      // That of `/live` has no end.
      if (pathname.endsWith('/live')) return
      sizes.push(response.body().then(body => [pathname, gzipSync(body).length] as const))
    })
    await page.goto(service.page)
    await page.locator('.overview-charts svg').first().waitFor()
    await page.waitForLoadState('load')
    const files = await Promise.all(sizes)
    expect(files.some(([name]) => name.endsWith('.js'))).toBe(true)
    expect(files.some(([name]) => /chat-view|keys-view|command-palette/.test(name))).toBe(false)
    const total = files.reduce((sum, [, size]) => sum + size, 0)
    expect(total).toBeLessThanOrEqual(120_000)
  })

  it('has no more rows in the document than are near the screen, whatever is recorded', async () => {
    const { service, page } = await ownService()
    const at = Date.now()
    for (let number = 0; number < 100_000; number++)
      service.observe(endOf(`req_${number}`, { at: at - 100_000 + number }))
    await page.goto(service.page)
    await goTo(page, 'Requests')
    const rows = page.locator('main tbody tr')
    await page.locator('[data-id=req_99999]').waitFor()
    expect(await rows.count()).toBeLessThanOrEqual(60)
    expect(await page.locator('main table').getAttribute('aria-rowcount')).toBe('501')
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await page.locator('[data-id=req_99500]').waitFor()
    expect(await rows.count()).toBeLessThanOrEqual(60)
    expect(await page.locator('[data-id=req_99500]').getAttribute('aria-rowindex')).toBe('501')
    // By the keyboard one gets from row to row, also to those that were not in the document.
    await page.evaluate(() => scrollTo(0, 0))
    await page.locator('[data-id=req_99999]').waitFor()
    for (let left = 80; left > 0; left--) {
      await page.keyboard.press('j')
      await page.evaluate(() => new Promise(requestAnimationFrame))
    }
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Request req_99920')
    expect(await rows.count()).toBeLessThanOrEqual(60)
    // On a phone the open request takes the place of the list, which is where it was when it is closed.
    await page.setViewportSize({ width: 390, height: 850 })
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight / 2))
    /** The request in the middle of the screen. */
    const middle = () =>
      page.evaluate(() => document.elementFromPoint(100, 500)?.closest<HTMLElement>('[data-id]')?.dataset.id)
    await expect.poll(middle).toMatch(/^req_99[5-8]/)
    const id = (await middle())!
    await page.getByRole('link', { name: `Request ${id}` }).press('Enter')
    await page.getByRole('link', { name: 'Close' }).press('Enter')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toContain(`Request ${id}`)
    expect(await rows.count()).toBeLessThanOrEqual(60)
    await expect(page.locator(`[data-id=${id}]`).boundingBox()).resolves.toMatchObject({
      y: expect.any(Number),
    })
  })

  it('shows a page of the log at a time, of 100,000 stored requests', async () => {
    const { service, page } = await ownService()
    await service.ask('demo')
    await service.flushLog()
    const [row] = await service.requestLog.search({
      from: undefined,
      to: undefined,
      where: {},
      after: undefined,
      limit: 1,
    })
    for (let number = 0; number < 100_000; number += 5_000) {
      await service.requestLog.insert(
        Array.from({ length: 5_000 }, (_, index) => ({
          ...row!,
          // Less to store: it is about their number.
          tags: {},
          attempts: [],
          candidates: [],
          hooks: [],
          id: `req_${number + index}`,
          at: row!.at - number - index,
        })),
      )
    }
    await page.goto(service.page)
    await goTo(page, 'Log')
    const rows = page.locator('main tbody tr')
    await rows.first().waitFor()
    expect(await rows.count()).toBeLessThanOrEqual(60)
    await page.getByRole('link', { name: 'Older' }).click()
    await page.getByRole('link', { name: 'Newest' }).waitFor()
    expect(await rows.count()).toBeLessThanOrEqual(60)
    await page.goto(`${service.url}/console/#/overview?window=90d`)
    await page
      .getByText(/of the newest 2,000 requests|of its newest 2,000 requests/)
      .first()
      .waitFor()
  })
})
