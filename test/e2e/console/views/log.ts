import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { goTo } from '../site/go-to.ts'
import type { ViewTests } from '../site/views.ts'

export const logTests: ViewTests = site => {
  it('finds requests by what they have, and keeps the search in the address', async () => {
    const { ask, flushLog, keys, url } = site().service
    const issued = await keys.issue({ name: 'logged', tags: { team: 'loggers' } })
    const good = (await ask('counted', { key: issued.key })).headers.get('x-request-id')!
    const bad = (await ask('broken', { key: issued.key })).headers.get('x-request-id')!
    await flushLog()
    const page = await site().open()
    await goTo(page, 'Log')
    await page.getByLabel('Tag', { exact: true }).fill('team:loggers')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    const rows = page.locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByLabel('Status', { exact: true }).fill('5xx')
    await page.getByLabel('Status', { exact: true }).press('Enter')
    await expect.poll(() => rows.count()).toBe(1)
    expect(new URL(page.url()).hash).toBe('#/log?status=5xx&tag=team%3Aloggers')
    await page.getByRole('link', { name: `Request ${bad}` }).click()
    const panel = page.getByRole('region', { name: 'Request', exact: true })
    await panel.getByText(bad).waitFor()
    await panel.getByText(/503/).first().waitFor()
    await panel.getByRole('link', { name: 'Close' }).click()
    await panel.waitFor({ state: 'detached' })
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toContain(`Request ${bad}`)

    // An address that somebody sends shows the same.
    await page.goto(`${url}/console/#/log/${good}?tag=team%3Aloggers`)
    await panel.getByText(good).waitFor()
    await expect.poll(() => rows.count()).toBe(2)
    await page.goto(`${url}/console/#/log?tag=team`)
    await page
      .getByRole('alert')
      .getByText(/team:search/)
      .waitFor()
    await page.goto(`${url}/console/#/log?key=nobody`)
    await page.getByText('No matching requests').waitFor()
  })

  it('shows a page at a time, and downloads all that match', async () => {
    const { ask, flushLog, keys } = site().service
    const issued = await keys.issue({ name: 'paged', tags: { team: 'pages' } })
    for (let left = 52; left > 0; left--) await ask('counted', { key: issued.key })
    await flushLog()
    const page = await site().open()
    await goTo(page, 'Log')
    await page.getByLabel('Tag', { exact: true }).fill('team:pages')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    const rows = page.locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(50)
    await page.getByRole('link', { name: 'Older' }).click()
    await expect.poll(() => rows.count()).toBe(2)
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const file = await (await downloading).path()
    expect((await readFile(file, 'utf8')).trimEnd().split('\r\n')).toHaveLength(53)
    await page.getByRole('link', { name: 'Newest' }).click()
    await expect.poll(() => rows.count()).toBe(50)
  })
}
