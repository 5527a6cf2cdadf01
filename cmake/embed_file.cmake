# cmake -DIN=file -DOUT=out.cc -DNAME=kName -P embed_file.cmake: a C++ source that holds the file's
# bytes as tidemark::NAME, declared in coordinator/report/assets.h.
file(READ ${IN} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUT} "#include \"coordinator/report/assets.h\"
namespace tidemark {
namespace {
constexpr unsigned char kBytes[] = {${bytes}};
}  // namespace
const absl::string_view ${NAME}(reinterpret_cast<const char*>(kBytes), sizeof(kBytes));
}  // namespace tidemark
")
