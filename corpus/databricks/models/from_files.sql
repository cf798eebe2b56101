select *, _metadata.file_path as loaded_from
from read_files('/Volumes/main/landing/sales/', format => 'json', schemaHints => 'amount decimal(18, 2)')
