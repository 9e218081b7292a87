import { describe, expect, it } from '@jest/globals';
import { isSchedule, missedRun, nextRun } from './schedule.ts';

const at = (time: string) => new Date(`2026-01-01T${time}Z`);

describe('a schedule', () => {
  it.each(['* * * * *', '*/5 9-17 1,15 JAN-JUN MON-FRI', '0 0 29 2 *'])('may be %s', (text) => {
    expect(isSchedule(text)).toBe(true);
  });

  it.each(['', 'daily', '* * * *', '* * * * * *', '60 * * * *', '*/0 * * * *', '0 0 31 2 *'])(
    'must not be %p',
    (text) => {
      expect(isSchedule(text)).toBe(false);
    },
  );

  it('has a next run after a time', () => {
    expect(nextRun('*/5 * * * *', at('10:05:00'))).toEqual(at('10:10:00'));
    expect(nextRun('*/5 * * * *', at('10:09:59.999'))).toEqual(at('10:10:00'));
  });

  it('has a missed run if one was due since the last one', () => {
    expect(missedRun('*/5 * * * *', at('10:00:00'), at('10:04:59.999'))).toBeUndefined();
    expect(missedRun('*/5 * * * *', at('10:00:00'), at('10:05:00'))).toEqual(at('10:05:00'));
    expect(missedRun('*/5 * * * *', at('10:00:00'), at('12:34:56'))).toEqual(at('12:30:00'));
  });
});
