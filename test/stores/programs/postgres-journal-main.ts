import { fileJournal } from '@sluice/postgres'

// Appends to a journal as fast as it can, so many times or until it is killed; tells what was kept and what was not.
const [directory = '', count = 'Infinity'] = process.argv.slice(2)
const journal = fileJournal(directory)
const long = 'x'.repeat(200)
let made = 0

async function lane(): Promise<void> {
  while (made < Number(count)) {
    const id = `${++made} ${long}`
    const batch = { entries: [], closings: [], progress: [{ id, charge: undefined }] }
    await journal.append(batch).then(
      () => process.send?.({ kept: id }),
      () => process.send?.({ refused: id }),
    )
  }
}

await Promise.all([lane(), lane(), lane()])
process.disconnect()
