import { expect, it } from 'vitest'
import { goTo } from '../site/go-to.ts'
import type { ViewTests } from '../site/views.ts'

export const namesTests: ViewTests = site => {
  it('of keys stand where requests are listed, filtered, shown in full, charted and summed by day', async () => {
    const { ask, keys } = site().service
    const page = await site().open()
    await goTo(page, 'Requests')
    // Issued while the page is open: its name is looked up when its first request comes.
    const { key, stored } = await keys.issue({ name: 'Nightly report' })
    const id = (await ask('demo', { key })).headers.get('x-request-id')!
    const row = page.locator(`tr[data-id="${id}"]`)
    await row.getByText('Nightly report').waitFor()
    expect(await row.getByText(stored.id).count()).toBe(0)
    await page.getByLabel('Key').selectOption('Nightly report')
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('link', { name: `Request ${id}` }).press('Enter')
    const panel = page.getByRole('region', { name: 'Request', exact: true })
    await panel.getByText('Nightly report').waitFor()
    await panel.getByText(stored.id).waitFor()

    await goTo(page, 'Usage')
    await page.getByLabel('Group by').selectOption('Key')
    const sums = page.locator('.sums')
    await sums.getByRole('row', { name: /^Nightly report/ }).waitFor()
    expect(await sums.getByText(stored.id).count()).toBe(0)
    const chart = page.locator('.chart').first()
    await chart.getByText('As a table').click()
    await chart.getByRole('columnheader', { name: 'Nightly report' }).waitFor()
    const ledger = page.getByRole('region', { name: 'By day, from the ledger' })
    await ledger.getByLabel('Group days by').selectOption('Key')
    await ledger.getByRole('row', { name: /Nightly report/ }).waitFor()
  })
}
