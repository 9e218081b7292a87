import { describe, expect, it } from '@jest/globals';
import { ObservableInfo } from './observable-info.ts';

describe('ObservableInfo', () => {
  it('CT-11: notifies listeners of changed labels and properties only', () => {
    const info = new ObservableInfo({ provider: 'test', labels: { env: 'prod' } });
    let changes = 0;
    const ignore = info.onDescribed(() => (changes += 1));
    info.describe({ labels: { env: 'prod' }, properties: {} });
    info.setVersion('v1.33.1');
    expect(changes).toBe(0);
    info.describe({ labels: { env: 'test' }, properties: {} });
    info.describe({ labels: { env: 'test' }, properties: { region: 'eu' } });
    expect(changes).toBe(2);
    ignore();
    info.describe({ labels: {}, properties: {} });
    expect(changes).toBe(2);
    expect(info.value).toEqual({ provider: 'test', version: 'v1.33.1', labels: {}, properties: {} });
  });
});
