//! A tally as bytes: little-endian, read back with every number checked.

use super::{Builder, Cell, Error, Tally};

impl Tally {
    /// The tally as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for n in [self.n_pools, self.n_values, self.n_patterns()] {
            bytes.extend((n as u64).to_le_bytes());
        }
        for (pattern, w) in self.patterns() {
            bytes.extend(w.to_le_bytes());
            bytes.extend((pattern.len() as u64).to_le_bytes());
            for cell in pattern {
                for n in [cell.pool, cell.value, cell.count] {
                    bytes.extend(n.to_le_bytes());
                }
            }
        }
        bytes
    }

    /// The tally that these bytes were written from.
    pub fn from_bytes(bytes: &[u8]) -> Result<Tally, Error> {
        let mut rest = bytes;
        let n_pools = read_size(&mut rest)?;
        let n_values = read_size(&mut rest)?;
        let n_patterns = read_size(&mut rest)?;
        let mut builder = Builder::new(n_pools, n_values);
        for _ in 0..n_patterns {
            let w = read_u64(&mut rest)?;
            let n_cells = read_size(&mut rest)?;
            let mut cells = Vec::new();
            for _ in 0..n_cells {
                let [pool, value, count] = [read_u32(&mut rest)?, read_u32(&mut rest)?, read_u32(&mut rest)?];
                if pool as usize >= n_pools || value as usize >= n_values || count == 0 {
                    return Err(Error::Bytes("a count stands outside of the table"));
                }
                cells.push(Cell { pool, value, count });
            }
            builder.add(&mut cells, w)?;
        }
        if !rest.is_empty() {
            return Err(Error::Bytes("they go on after the last pattern"));
        }
        builder.finish()
    }
}

fn read<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Error> {
    let (head, tail) = rest.split_first_chunk().ok_or(Error::Bytes("they end too early"))?;
    *rest = tail;
    Ok(*head)
}

fn read_u32(rest: &mut &[u8]) -> Result<u32, Error> {
    read(rest).map(u32::from_le_bytes)
}

fn read_u64(rest: &mut &[u8]) -> Result<u64, Error> {
    read(rest).map(u64::from_le_bytes)
}

/// A size; codes are 32 bits wide, so a larger one is no tally's.
fn read_size(rest: &mut &[u8]) -> Result<usize, Error> {
    let size = read_u64(rest)?;
    u32::try_from(size).map(|size| size as usize).map_err(|_| Error::Bytes("a size is too large"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_damage() {
        let tally = Tally::from_long(&[0, 0, 1], &[0, 1, 1], &[2, 1, 1], None, (3, 2, 3)).unwrap();
        let bytes = tally.to_bytes();
        assert_eq!(Tally::from_bytes(&bytes).unwrap(), tally);
        for end in 0..bytes.len() {
            assert!(Tally::from_bytes(&bytes[..end]).is_err());
        }
        assert!(Tally::from_bytes(&[bytes.as_slice(), &[0]].concat()).is_err());
        assert!(Tally::from_bytes(&[0xff; 64]).is_err());
    }
}
