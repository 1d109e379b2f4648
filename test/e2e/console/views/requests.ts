import { chunks, sse, steps } from '@sluice/testing'
import { expect, it } from 'vitest'
import { goTo } from '../site/go-to.ts'
import { stuckRequest } from '../site/stuck-request.ts'
import type { ViewTests } from '../site/views.ts'

export const requestsTests: ViewTests = site => {
  it('shows a request while it runs, and how it ended', async () => {
    const page = await site().open()
    await goTo(page, 'Requests')
    await page.locator('.connection', { hasText: 'Live' }).waitFor()
    const stuck = await stuckRequest(site().service)
    const row = page.locator('tbody tr', { hasText: 'stuck' }).first()
    await row.getByText('Running').waitFor()
    await stuck.leave()
    await row.getByText('Client disconnected').waitFor()
  })

  it('shows a failover as a waterfall, and why a place was not asked', async () => {
    const page = await site().open()
    const { ask } = site().service
    const id = (await ask('small-chat')).headers.get('x-request-id')!
    await goTo(page, 'Requests')
    await page.getByRole('link', { name: `Request ${id}` }).press('Enter')
    const panel = page.getByRole('region', { name: 'Request', exact: true })
    await panel.getByText(id).waitFor()
    const factOf = (name: string) =>
      panel.locator('dl.facts > div', { hasText: name }).locator('dd').textContent()
    expect([await factOf('Operation'), await factOf('Dialect')]).toEqual(['Generate', 'chat'])
    const bars = panel.locator('.bar-row')
    expect(await bars.locator('.name').allTextContents()).toEqual(
      expect.arrayContaining(['south / small', 'north / small']),
    )
    await bars.first().getByText(/503/).waitFor()
    await bars.last().getByText('answered').waitFor()
    expect(await bars.last().locator('.bar-name').textContent()).toBe('north / smallfallback')
    // Until its breaker opens.
    for (let left = 4; left > 0; left--) await ask('small-chat')
    const skipped = (await ask('small-chat')).headers.get('x-request-id')!
    await page.getByRole('link', { name: `Request ${skipped}` }).click()
    await panel
      .getByText(/Skipped: its circuit breaker was open for another .*s: the provider returned 503/)
      .waitFor()
    expect(await bars.locator('.name').allTextContents()).toEqual(['north / small'])
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await panel.getByRole('link', { name: 'Close' }).press('Enter')
    await panel.waitFor({ state: 'detached' })
    await expect.poll(focused).toContain(`Request ${skipped}`)
  })

  it('shows both calls of a hedge side by side', async () => {
    const page = await site().open()
    const id = (await site().service.ask('large-chat', { stream: true })).headers.get('x-request-id')!
    await page.goto(`${site().service.url}/console/#/requests/${id}`)
    const bars = page.locator('.bar-row')
    await bars.nth(1).waitFor()
    expect(await bars.locator('.bar-name').allTextContents()).toEqual([
      'east / largefirst',
      'north / largehedge',
    ])
    expect(await bars.locator('.bar-result').allTextContents()).toEqual([
      'cancelled, another attempt answered first',
      'answered',
    ])
    const boxes = await Promise.all([0, 1].map(at => bars.nth(at).locator('.bar-fill').first().boundingBox()))
    const [first, second] = boxes.map(box => box!)
    expect(second!.x).toBeGreaterThan(first!.x)
    expect(second!.x).toBeLessThan(first!.x + first!.width)
  })

  it('is filtered, and held still', async () => {
    const page = await site().open()
    const { ask } = site().service
    await ask('demo')
    await ask('broken')
    await goTo(page, 'Requests')
    const rows = page.locator('tbody tr')
    await rows.first().waitFor()
    await page.getByLabel('Outcome').selectOption('Upstream failed')
    await page.getByLabel('Model').selectOption('broken')
    await expect
      .poll(async () => new Set(await rows.locator('td:nth-child(2)').allTextContents()))
      .toEqual(new Set(['broken']))
    await page.getByLabel('Model').selectOption('demo')
    await page.getByText('No matching requests').waitFor()
    // An address that somebody sends shows the same.
    expect(new URL(page.url()).hash).toBe('#/requests?model=demo&outcome=upstream_failed')
    await page.reload()
    await page.getByText('No matching requests').waitFor()
    expect(await page.getByLabel('Outcome').inputValue()).toBe('upstream_failed')
    await page.getByRole('link', { name: /^Show all/ }).click()
    await rows.first().waitFor()
    await page.getByRole('button', { name: 'Pause' }).press('Enter')
    const before = await rows.count()
    const id = (await ask('demo')).headers.get('x-request-id')!
    await page.getByText('1 newer', { exact: true }).waitFor()
    expect(await rows.count()).toBe(before)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('link', { name: `Request ${id}` }).waitFor()
  })

  it('says that a stream was interrupted, and not that it succeeded', async () => {
    const { ask, flushLog, north } = site().service
    const begun = sse(chunks({ text: 'Hello world' })).slice(0, 3)
    north.respondWith([steps.stream(begun), steps.cut()], steps.answer())
    const response = await ask('counted', { stream: true })
    expect(response.status).toBe(200)
    const id = response.headers.get('x-request-id')!
    await flushLog()
    const page = await site().open()
    for (const view of ['requests', 'log']) {
      await page.goto(`${site().service.url}/console/#/${view}/${id}`)
      const panel = page.getByRole('region', { name: 'Request', exact: true })
      await panel.getByText(id).waitFor()
      const marks = page.locator(`[data-id="${id}"] .mark-of, .request-line .mark-of`)
      expect(await marks.allTextContents()).toEqual(['✕Stream interrupted', '✕Stream interrupted'])
    }
  })

  it('says so where a request is not known', async () => {
    const page = await site().open()
    await page.goto(`${site().service.url}/console/#/requests/req_nobody`)
    await page
      .getByRole('alert')
      .getByText(/Cannot load the request/)
      .waitFor()
  })
}
